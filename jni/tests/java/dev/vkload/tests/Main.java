package dev.vkload.tests;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;

/** Runs the public methods of the classes that are named, by their names, and prints a line for each. */
public final class Main {
    private Main() {}

    public static void main(String[] classes) throws ReflectiveOperationException {
        boolean failed = false;
        for (String name : classes) {
            Method[] methods = Class.forName("dev.vkload.tests." + name).getMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                if (method.getDeclaringClass() == Object.class) {
                    continue;
                }
                try {
                    method.invoke(null);
                    System.out.println("ok " + name + "." + method.getName());
                } catch (InvocationTargetException exception) {
                    System.out.println("FAILED " + name + "." + method.getName());
                    exception.getCause().printStackTrace(System.out);
                    failed = true;
                }
            }
        }
        System.exit(failed ? 1 : 0);
    }

    static void equal(Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new AssertionError("found    " + found + "\nexpected " + expected);
        }
    }

    static void check(boolean holds, Object about) {
        if (!holds) {
            throw new AssertionError(String.valueOf(about));
        }
    }

    /** The message of the exception that this throws. */
    static String thrown(Class<? extends Throwable> expected, Runnable action) {
        try {
            action.run();
        } catch (Throwable thrown) {
            check(expected.isInstance(thrown), thrown);
            return String.valueOf(thrown.getMessage());
        }
        throw new AssertionError("nothing was thrown, not even " + expected);
    }
}
