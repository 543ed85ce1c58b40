# The build step of katagami_embed: reads TEXT, writes OUTPUT and HEADER that define array SYMBOL.
# Bytes are written as character constants, so that no literal is too long for ISO C and bytes above
# 127 fit a signed char.

file(READ ${TEXT} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n    "
       bytes "${bytes}")

cmake_path(GET HEADER FILENAME header)
cmake_path(GET TEXT FILENAME text)
file(WRITE ${HEADER} "/* The text of ${text}, ending in a zero. Generated. */
#ifndef KATAGAMI_EMBED_${SYMBOL}
#define KATAGAMI_EMBED_${SYMBOL}
#ifdef __cplusplus
extern \"C\" {
#endif
extern const char ${SYMBOL}[];
#ifdef __cplusplus
}
#endif
#endif
")
file(WRITE ${OUTPUT} "#include \"${header}\"

const char ${SYMBOL}[] = {
    ${bytes}'\\0',
};
")
