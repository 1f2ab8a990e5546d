package dev.vkload.tests;

/** The agent's functions for tests (fake/agent.c). */
final class Agent {
    private Agent() {}

    static {
        System.load(System.getProperty("java.library.path") + "/agent.so");
    }

    /**
     * Lets the request for memory, for a thread, or for the elements of an array fail that is the native half's {@code request}th from now
     * on, counted from 1; 0 for none.
     *
     * @return whether there was one that the last call made fail
     */
    static native boolean failAt(long request);
}
