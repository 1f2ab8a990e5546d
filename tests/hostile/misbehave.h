/* What a driver or a layer should not do. The file LIBRARY.hostile, beside the library, says "COMMAND BEHAVIOUR" in a line each; the
 * behaviours are in the table at the end of misbehave.c. */
#ifndef MISBEHAVE_H
#define MISBEHAVE_H

/* Does what the file says for this command: that of the driver or layer, or "load" and "unload". */
void misbehave(const char *command);

#endif
