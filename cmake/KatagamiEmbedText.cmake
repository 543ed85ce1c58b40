# The build step of katagami_embed: reads TEXT, writes OUTPUT and HEADER that define array SYMBOL.
# TEXT is FILE, or what `kata check --whole` has made of it; the files whose parts it holds are then
# listed in SYMBOL.d, for the build to know when to do this again.
# Bytes are written as character constants, so that no literal is too long for ISO C and bytes above
# 127 fit a signed char.

cmake_path(GET FILE PARENT_PATH folder)
if(TEXT STREQUAL FILE)
    file(STRINGS ${TEXT} imports REGEX "^[ \t]*import[ \t]*\"" LIMIT_COUNT 1)
    if(imports AND FILE MATCHES "\\.kata$")
        message(FATAL_ERROR "katagami_embed: ${FILE} imports another file. It is embedded with it "
            "where the kata command can run and NO_CHECK is not given.")
    endif()
else()
    file(STRINGS ${TEXT} parts REGEX "^#file \"")
    set(needed "${FILE}")
    foreach(part IN LISTS parts)
        string(REGEX REPLACE "^#file \"(.*)\"$" "${folder}/\\1" path "${part}")
        list(APPEND needed "${path}")
    endforeach()
    list(TRANSFORM needed REPLACE "([ #])" "\\\\\\1")
    list(JOIN needed " " needed)
    cmake_path(REPLACE_EXTENSION OUTPUT d OUTPUT_VARIABLE dependencies)
    string(REPLACE " " "\\ " target "${OUTPUT}")
    file(WRITE ${dependencies} "${target}: ${needed}\n")
endif()

file(READ ${TEXT} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "('[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,'[^,]*,)" "\\1\n    "
       bytes "${bytes}")

cmake_path(GET HEADER FILENAME header)
cmake_path(GET FILE FILENAME text)
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
