// A window with a red square, and a gradient that is turned, so that a shader draws something too.
import QtQuick
import QtQuick.Window

Window {
    visible: true
    x: 0
    y: 0
    width: 640
    height: 480
    flags: Qt.FramelessWindowHint
    color: "#204080"

    Rectangle {
        x: 40
        y: 40
        width: 200
        height: 200
        color: "#ff0000"
    }

    Rectangle {
        x: 300
        y: 100
        width: 200
        height: 200
        radius: 40
        rotation: 30
        gradient: Gradient {
            GradientStop { position: 0; color: "yellow" }
            GradientStop { position: 1; color: "green" }
        }
    }
}
