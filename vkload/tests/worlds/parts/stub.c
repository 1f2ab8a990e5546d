/* A library that a driver needs (-DNEEDS), under any name. */
#ifdef STUB
__attribute__((visibility("default"))) void stub(void) {}
#endif
typedef int not_empty;
