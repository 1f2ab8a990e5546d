pluginManagement {
    repositories {
        google()
        mavenCentral()
        gradlePluginPortal()
    }
}

dependencyResolutionManagement {
    repositories {
        google()
        mavenCentral()
        // What ./ndk-build.sh in the root of the repository makes.
        maven { url = uri("../../target/android/maven") }
    }
}

rootProject.name = "vkload-sample"
