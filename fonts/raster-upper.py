"""Prints the glyphs of an OpenType font above U+FFFF as .hex lines, rasterised at 16 pixels.

Unifont's outlines are its pixels, so one bit a pixel without hinting gives the bitmaps back. Debian packages no .hex
file of the upper planes. Needs python3-freetype. Usage: raster-upper.py FONT.otf
"""
import sys

import freetype

HEIGHT, ASCENT = 16, 14


def rows_of(face):
    bitmap = face.glyph.bitmap
    left, top = face.glyph.bitmap_left, face.glyph.bitmap_top
    advance = round(face.glyph.advance.x / 64)
    if left < 0:  # a combining mark hangs over the character before it: back into a cell of its own
        left += 8 * -(left // 8)
    width = 8 if max(advance, left + bitmap.width) <= 8 else 16
    rows = [0] * HEIGHT
    for y in range(bitmap.rows):
        row = ASCENT - top + y
        for x in range(bitmap.width):
            column = left + x
            ink = bitmap.buffer[y * bitmap.pitch + x // 8] >> (7 - x % 8) & 1
            if ink and 0 <= row < HEIGHT and 0 <= column < width:
                rows[row] |= 1 << (width - 1 - column)
    return width, rows


face = freetype.Face(sys.argv[1])
face.set_pixel_sizes(0, HEIGHT)
for code, index in sorted(face.get_chars()):
    if code <= 0xFFFF:
        continue
    face.load_glyph(index, freetype.FT_LOAD_RENDER | freetype.FT_LOAD_TARGET_MONO | freetype.FT_LOAD_NO_HINTING)
    width, rows = rows_of(face)
    print(f"{code:06X}:" + "".join(f"{row:0{width // 4}X}" for row in rows))
