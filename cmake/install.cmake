# `cmake --install`: the library, the headers, the command, the CMake package Katagami, katagami.pc.

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Katagami)

# Nothing is installed where something is not built yet: ./dev run builds the command alone.
set(built $<TARGET_FILE:katagami_shared> $<TARGET_FILE:katagami_static> $<TARGET_FILE:kata-read-hdf5>)
if(TARGET kata)
    list(APPEND built $<TARGET_FILE:kata>)
endif()
if(TARGET kata AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    list(APPEND built ${PROJECT_BINARY_DIR}/pages/kata.1)
endif()
install(CODE "set(built \"${built}\")
foreach(file IN LISTS built)
    if(NOT EXISTS \"\${file}\")
        message(FATAL_ERROR \"\${file} is not built. Build first: cmake --build ${PROJECT_BINARY_DIR}\")
    endif()
endforeach()" ALL_COMPONENTS)

install(DIRECTORY include/kata DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h*")
install(FILES ${machines} DESTINATION ${CMAKE_INSTALL_DATADIR}/katagami/machines)
install(TARGETS katagami_shared EXPORT KatagamiShared)
install(TARGETS katagami_static EXPORT KatagamiStatic)
install(TARGETS kata-read-hdf5 DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/katagami)
if(TARGET katagami_mpi)
    install(TARGETS katagami_mpi DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/katagami)
endif()
if(TARGET kata)
    install(TARGETS kata EXPORT KatagamiShared)
endif()

# The command's manual page and completion, which it prints itself. When cross-compiling without an
# emulator nothing can run it: then they are left out.
if(TARGET kata AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(pages ${PROJECT_BINARY_DIR}/pages)
    file(MAKE_DIRECTORY ${pages})
    add_custom_command(OUTPUT ${pages}/kata.1 ${pages}/kata ${pages}/_kata ${pages}/kata.fish
        COMMAND kata help --manual > ${pages}/kata.1
        COMMAND kata help --completion bash > ${pages}/kata
        COMMAND kata help --completion zsh > ${pages}/_kata
        COMMAND kata help --completion fish > ${pages}/kata.fish
        DEPENDS kata COMMENT "Writing the manual page and the completion of kata" VERBATIM)
    add_custom_target(kata_pages ALL DEPENDS ${pages}/kata.1)
    install(FILES ${pages}/kata.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES ${pages}/kata DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${pages}/_kata DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${pages}/kata.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# The static library brings its dependencies along, so it is a part that a project asks for.
install(EXPORT KatagamiShared NAMESPACE Katagami:: DESTINATION ${package_folder})
install(EXPORT KatagamiStatic NAMESPACE Katagami:: DESTINATION ${package_folder})
configure_package_config_file(cmake/KatagamiConfig.cmake.in KatagamiConfig.cmake
    INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(KatagamiConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/KatagamiConfig.cmake
    ${PROJECT_BINARY_DIR}/KatagamiConfigVersion.cmake
    cmake/KatagamiEmbed.cmake
    cmake/KatagamiEmbedText.cmake
    DESTINATION ${package_folder})

string(JOIN " " private_libraries
    ${PNG_LDFLAGS} ${HDF5_HL_LIBRARY} ${HDF5_LDFLAGS} ${HWLOC_LDFLAGS} ${XXHASH_LDFLAGS} ${CMAKE_THREAD_LIBS_INIT} -ldl -lm)
file(RELATIVE_PATH pc_to_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
configure_file(cmake/katagami.pc.in katagami.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/katagami.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
