# The CMake package: `find_package(vkload CONFIG)` with -Dvkload_DIR=<this folder> defines the target vkload::vkload.
#
# Beside this folder lie `include/vkload.h` and, for each ABI, `jni/ABI/libvkload.so`; or VKLOAD_LIBRARY is the path of the library.
get_filename_component(_vkload_root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)

if(NOT DEFINED VKLOAD_LIBRARY)
    set(VKLOAD_LIBRARY "${_vkload_root}/jni/${ANDROID_ABI}/libvkload.so")
endif()

if(NOT EXISTS "${VKLOAD_LIBRARY}")
    set(vkload_FOUND FALSE)
    set(vkload_NOT_FOUND_MESSAGE
        "there is no ${VKLOAD_LIBRARY}; put the library for this ABI there, or say where it is with -DVKLOAD_LIBRARY=PATH")
elseif(NOT TARGET vkload::vkload)
    add_library(vkload::vkload SHARED IMPORTED)
    set_target_properties(vkload::vkload PROPERTIES
        IMPORTED_LOCATION "${VKLOAD_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${_vkload_root}/include")
    set(vkload_FOUND TRUE)
endif()

unset(_vkload_root)
