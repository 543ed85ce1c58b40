# katagami_embed(TARGET target FILES file... [SYMBOL name] [NO_CHECK])
#
# Compiles text files into a target as zero-terminated C arrays. For heat.kata it writes heat_kata.h
# and a source file that defines
#
#     extern const char heat_kata[];
#
# and adds the folder of the header to the target's include path. Every character of the file name
# that C does not allow becomes an underscore; SYMBOL names the array otherwise (one file only). The
# texts are written anew when their files change. Call it in the folder that defines the target.
#
# `kata check` compiles files that end in .kata first: an error fails the build with its message, and
# warnings are shown. Imported files become parts of the array, which is written anew when one of them
# changes. Use NO_CHECK for texts that the program completes before it compiles them. Such texts cannot
# import. When cross-compiling nothing is checked, and no text can import.

cmake_policy(PUSH)
cmake_policy(VERSION 3.25)

function(katagami_embed)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/KatagamiEmbedText.cmake)
    cmake_parse_arguments(PARSE_ARGV 0 arg "NO_CHECK" "TARGET;SYMBOL" "FILES")
    list(LENGTH arg_FILES count)
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR count EQUAL 0)
        message(FATAL_ERROR "katagami_embed(TARGET target FILES file... [SYMBOL name] [NO_CHECK])")
    elseif(arg_SYMBOL AND count GREATER 1)
        message(FATAL_ERROR "katagami_embed: SYMBOL names the array of one file, got ${count}")
    endif()

    # A project without C takes the same text as C++.
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    set(extension cpp)
    if(C IN_LIST languages)
        set(extension c)
    endif()

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embed/${arg_TARGET})
    foreach(file IN LISTS arg_FILES)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        set(symbol ${arg_SYMBOL})
        if(NOT symbol)
            cmake_path(GET file FILENAME name)
            string(MAKE_C_IDENTIFIER ${name} symbol)
        endif()
        set(check)
        set(text ${file})
        set(depends)
        if(file MATCHES "\\.kata$" AND NOT arg_NO_CHECK AND TARGET Katagami::kata
           AND NOT CMAKE_CROSSCOMPILING)
            set(text ${folder}/${symbol}.whole)
            set(check COMMAND Katagami::kata check --quiet --whole ${text} ${file})
            set(depends DEPFILE ${folder}/${symbol}.d)
        endif()
        set(output ${folder}/${symbol}.${extension})
        file(MAKE_DIRECTORY ${folder})
        add_custom_command(
            OUTPUT ${output} ${folder}/${symbol}.h
            ${check}
            COMMAND ${CMAKE_COMMAND} -D FILE=${file} -D TEXT=${text} -D SYMBOL=${symbol}
                    -D OUTPUT=${output} -D HEADER=${folder}/${symbol}.h -P ${script}
            DEPENDS ${file} ${script}
            ${depends}
            COMMENT "Embedding ${symbol}"
            VERBATIM)
        target_sources(${arg_TARGET} PRIVATE ${output} ${folder}/${symbol}.h)
    endforeach()
    target_include_directories(${arg_TARGET} PRIVATE ${folder})
endfunction()

cmake_policy(POP)
