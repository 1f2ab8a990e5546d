package dev.vkload.tests;

import static dev.vkload.tests.Main.check;
import static dev.vkload.tests.Main.equal;
import static dev.vkload.tests.Main.thrown;

import dev.vkload.ApiVersion;
import dev.vkload.DeviceInfo;
import dev.vkload.Driver;
import dev.vkload.ExtensionInfo;
import dev.vkload.LayerInfo;
import dev.vkload.Report;
import java.lang.reflect.Constructor;

/** Values are equal if all their parts are. */
public final class Values {
    private Values() {}

    public static void whatIsEqual() throws ReflectiveOperationException {
        ApiVersion[] versions = {ApiVersion.of(1, 3, 0), ApiVersion.of(1, 3, 1)};
        differsByEach(DeviceInfo.class, new Object[][] {
            {"a", "b"}, {DeviceInfo.Kind.CPU, DeviceInfo.Kind.OTHER}, versions, {1, 2}, {3, 4}, {5, 6}});
        differsByEach(LayerInfo.class, new Object[][] {{"a", "b"}, versions, {1, 2}, {"c", "d"}});
        differsByEach(ExtensionInfo.class, new Object[][] {{"a", "b"}, {1, 2}});
        differsByEach(Report.class, new Object[][] {{"a", "b"}, {"c", "d"}});
        differsByEach(Report.Entry.class, new Object[][] {{"a", "b"}, {"c", null}, {"used", "failed"}, {null, "d"}});
        differsByEach(ApiVersion.class, new Object[][] {{1 << 22, 1 << 12}});
        Driver[] drivers = {
            Driver.system(), Driver.library("/a"), Driver.library("/b"), Driver.driverPackage("/a", "/x"), Driver.driverPackage("/a", "/y")};
        for (Driver one : drivers) {
            for (Driver other : drivers) {
                equal(one.equals(other), one == other);
            }
        }
        equal(Driver.library("/a"), Driver.library("/a"));
        equal(Driver.library("/a").hashCode(), Driver.library("/a").hashCode());
        equal(Driver.driverPackage("/a", "/x").toString(), "{\"package\":\"/a\",\"unpack_to\":\"/x\"}");
    }

    /** Two values for each parameter of the only constructor: equal if all are the first ones, and not if one is the second. */
    private static void differsByEach(Class<?> type, Object[][] parameters) throws ReflectiveOperationException {
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        Object[] first = new Object[parameters.length];
        for (int index = 0; index < first.length; index++) {
            first[index] = parameters[index][0];
        }
        Object value = constructor.newInstance(first);
        equal(constructor.newInstance(first), value);
        equal(constructor.newInstance(first).hashCode(), value.hashCode());
        check(!value.equals("a") && !value.equals(null), type);
        for (int index = 0; index < first.length; index++) {
            Object[] other = first.clone();
            other[index] = parameters[index][1];
            check(!constructor.newInstance(other).equals(value), type + " " + index);
        }
    }

    public static void versionsCompare() {
        ApiVersion version = ApiVersion.of(1, 3, 275);
        equal(version.toString(), "1.3.275");
        equal(version.getValue(), 0x00403113);
        check(version.compareTo(ApiVersion.of(1, 3, 274)) > 0 && version.compareTo(ApiVersion.of(1, 4, 0)) < 0, version);
        check(ApiVersion.of(127, 1023, 4095).compareTo(version) > 0, "the last one");
        for (int[] wrong : new int[][] {{128, 0, 0}, {0, 1024, 0}, {0, 0, 4096}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}}) {
            thrown(IllegalArgumentException.class, () -> ApiVersion.of(wrong[0], wrong[1], wrong[2]));
        }
    }
}
