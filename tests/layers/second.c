/* A second layer in the same library, if -DSECOND asks for it: it can only be told by its names. */
#ifdef SECOND
#define CONFIGURATION "second"
#define PREFIX second
#undef LAYER_NAME
#define LAYER_NAME SECOND
#undef EXPORT_PLAIN
#undef EXPORT_NEGOTIATE
#undef EXPORT_INTROSPECTION
#include "layer.c"
#else
typedef int nothing;
#endif
