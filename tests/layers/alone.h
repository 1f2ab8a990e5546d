/* Notes when two threads are in the commands that loaders let one thread through at a time. With `alone`, a thread stays in
 * each of these commands until another one comes, or has not come while this one let the others run as often as the number
 * says. */

static _Atomic unsigned present;
static _Thread_local unsigned within;

static void depart(const bool *arrived) {
    if (*arrived && --within == 0) --present;
}

static bool arrive(const char *command) {
    if (!does("alone")) return false;
    if (within++ > 0) return true;
    if (++present > 1) trace("together", "in=%s", command);
    for (int64_t i = number("alone", 0); i > 0 && present == 1; --i) sched_yield();
    return true;
}

#define ALONE(command) const bool arrived __attribute__((cleanup(depart))) = arrive(command)
