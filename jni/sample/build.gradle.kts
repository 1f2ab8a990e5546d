plugins {
    // From 8.5.1 on it lays libraries out for pages of 16 KiB.
    id("com.android.application") version "8.7.3"
}

// What ./ndk-build.sh in the root of the repository makes; another one: -Pvkload.aar=PATH.
val aar = providers.gradleProperty("vkload.aar").getOrElse("../../target/android/vkload-0.1.0.aar")

android {
    namespace = "dev.vkload.sample"
    compileSdk = 35

    defaultConfig {
        applicationId = "dev.vkload.sample"
        minSdk = 24
        targetSdk = 35
        versionCode = 1
        versionName = "1"
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }

    externalNativeBuild {
        cmake {
            path = file("src/main/cpp/CMakeLists.txt")
        }
    }

    buildTypes {
        release {
            isMinifyEnabled = true
            proguardFiles(getDefaultProguardFile("proguard-android-optimize.txt"))
        }
    }
}

dependencies {
    implementation(files(aar))
}
