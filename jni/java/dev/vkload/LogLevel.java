package dev.vkload;

/** How much a record of the log matters. A listener receives records of its level and everything above it. */
public enum LogLevel {
    /** Something does not work. */
    ERROR,
    /** Something works in another way than it was probably meant. */
    WARNING,
    /** Findings and decisions. */
    INFO,
    /** Every file and folder that the loader examined. */
    DEBUG;

    /** Returns the level of a number of the C interface, which has them in this order from 0 on. */
    static LogLevel of(long number) {
        return values()[(int) number];
    }
}
