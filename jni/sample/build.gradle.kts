plugins {
    // From 8.5.1 on it lays libraries out for pages of 16 KiB.
    id("com.android.application") version "8.7.3"
    // From 2.1 on it refuses null where the loader's classes do not take it.
    id("org.jetbrains.kotlin.android") version "2.1.0"
}

android {
    namespace = "dev.vkload.sample"
    compileSdk = 35

    defaultConfig {
        applicationId = "dev.vkload.sample"
        // Khronos' validation layer needs it; the loader itself runs from 24 on.
        minSdk = 26
        targetSdk = 35
        versionCode = 1
        versionName = "1"
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_1_8
        targetCompatibility = JavaVersion.VERSION_1_8
    }

    kotlinOptions {
        jvmTarget = "1.8"
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
    implementation("dev.vkload:vkload:0.1.0")
}
