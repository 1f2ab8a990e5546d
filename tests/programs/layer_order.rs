//! Several real layers at once: the same ones are called in the same order as on the distribution's library.
use vkload_tests::programs::{
    DEVICE_SELECT, Library, MANGOHUD, MESA_OVERLAY, Machine, Need, RENDERDOC, RealLayer, Screen, VALIDATION,
    VKBASALT, lavapipe, run,
};
use vkload_tests::skip_unless;

const NEEDS: &[Need] = &[
    Need::Distribution,
    Need::Lavapipe,
    Need::Compiler,
    Need::Program("Xvfb"),
    Need::Program("vkcube"),
    Need::Layer(&VALIDATION),
    Need::Layer(&MESA_OVERLAY),
    Need::Layer(&DEVICE_SELECT),
    Need::Layer(&MANGOHUD),
    Need::Layer(&VKBASALT),
    Need::Layer(&RENDERDOC),
];

/// The implicit layers. `RenderDoc` is first since it has to be: MangoHud and vkBasalt look for vkCreateDevice without an
/// instance, which `RenderDoc` has no answer to.
static IMPLICIT: [&RealLayer; 4] = [&RENDERDOC, &MANGOHUD, &VKBASALT, &DEVICE_SELECT];

/// Machines with one driver each: Mesa's, and one that draws nothing.
static DRIVERS: [fn() -> Machine; 2] = [|| Machine::with_drivers(&[lavapipe()]), Machine::with_null_driver];

/// A machine with all layers, found in the order given, those with a switch only active if asked for.
struct Bench {
    machine: Machine,
    _screen: Screen,
}

/// How a program ended, and the chains of its instances and devices.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    ended: Option<i32>,
    chains: String,
}

impl Bench {
    fn new(driver: fn() -> Machine, layers: &[&RealLayer]) -> Self {
        let screen = Screen::start();
        let machine = driver().with_order_layer().with_layers(layers).with_display(screen.display());
        std::fs::write(machine.work().join("vkBasalt.conf"), "effects = cas\n").expect("vkBasalt's settings");
        Self { machine, _screen: screen }
    }

    /// Runs `vkcube` with the implicit layers `on`, and the explicit ones in `named`. `RenderDoc` starts a thread when its library is
    /// opened, which now and then crashes on any loader when the library is closed soon afterwards; so a crash with it counts only if it
    /// happens every time. So does one with MangoHud 0.6.8: if a program exits as early as on the null driver, in about one of a hundred
    /// runs the thread that reads its statistics still locks a mutex that the library's own destructors have freed, before they wait for
    /// the thread.
    fn run(&self, library: &Library, on: &[&RealLayer], named: &[&RealLayer]) -> Seen {
        let tries = if on.contains(&&RENDERDOC) || on.contains(&&MANGOHUD) { 6 } else { 1 };
        let mut runs = Vec::new();
        for _ in 0..tries {
            runs.push(self.run_once(library, on, named));
            if runs.last().is_some_and(|seen| seen.ended.is_some()) {
                break;
            }
        }
        // The one that got furthest.
        runs.into_iter().max_by_key(|seen| (seen.ended.is_some(), seen.chains.len())).expect("a run")
    }

    fn run_once(&self, library: &Library, on: &[&RealLayer], named: &[&RealLayer]) -> Seen {
        let mut command = self.machine.command(library, "vkcube");
        command.args(["--c", "3"]).env("VKBASALT_CONFIG_FILE", self.machine.work().join("vkBasalt.conf"));
        for layer in IMPLICIT {
            layer.switch(&mut command, on.contains(&layer));
        }
        if !named.is_empty() {
            let names: Vec<_> = named.iter().map(|layer| layer.name).collect();
            command.env("VK_INSTANCE_LAYERS", names.join(":"));
        }
        let output = run(&mut command);
        let chains = self.machine.order();
        assert!(!chains.is_empty() || output.status.code().is_none(), "no instance: {output:?}");
        Seen { ended: output.status.code(), chains }
    }

    /// Runs on both libraries, checks that they behave alike where the distribution's works, and returns the behaviour.
    fn run_on_both(&self, on: &[&RealLayer], named: &[&RealLayer]) -> Seen {
        let theirs = self.run(&Library::distribution(), on, named);
        let ours = self.run(&Library::under_test(), on, named);
        let name = |layers: &[&RealLayer]| layers.iter().map(|layer| layer.name).collect::<Vec<_>>();
        if theirs.ended.is_some() {
            assert_eq!(ours, theirs, "implicit {:?}, explicit {:?}", name(on), name(named));
        }
        ours
    }
}

/// Returns the line of the order layer for a chain of these layers.
fn chain(what: &str, layers: &[&RealLayer]) -> String {
    let mut line = what.to_owned();
    for library in layers.iter().map(|layer| layer.library).chain(["loader"]) {
        line.push(' ');
        line.push_str(library);
    }
    line
}

/// Returns the active ones among `layers`: opening `RenderDoc`'s library sets the variable that disables Mesa's layer.
fn active<'a>(layers: &[&'a RealLayer]) -> Vec<&'a RealLayer> {
    let captured = layers.contains(&&RENDERDOC);
    layers.iter().copied().filter(|layer| !captured || **layer != DEVICE_SELECT).collect()
}

/// Returns all layers but the one that leaves devices alone.
fn for_devices<'a>(layers: &[&'a RealLayer]) -> Vec<&'a RealLayer> {
    layers.iter().copied().filter(|layer| **layer != DEVICE_SELECT).collect()
}

#[test]
fn every_combination_of_implicit_layers() {
    skip_unless!(NEEDS);
    for bench in DRIVERS.map(|driver| Bench::new(driver, &IMPLICIT)) {
        for chosen in 0..1usize << IMPLICIT.len() {
            let on: Vec<_> =
                (0..IMPLICIT.len()).filter(|bit| chosen >> bit & 1 == 1).map(|bit| IMPLICIT[bit]).collect();
            let seen = bench.run_on_both(&on, &[]);
            let on = active(&on);
            let expected = [chain("instance", &on), chain("device", &for_devices(&on))];
            assert_eq!(seen.chains.lines().collect::<Vec<_>>(), expected);
            assert_eq!(seen.ended, Some(0), "{}", seen.chains);
        }
    }
}

#[test]
fn two_and_three_layers_implicit_and_explicit() {
    skip_unless!(NEEDS);
    let layers = [&RENDERDOC, &MANGOHUD, &VKBASALT, &DEVICE_SELECT, &VALIDATION, &MESA_OVERLAY];
    let combinations: [(&[&RealLayer], &[&RealLayer]); 7] = [
        (&[&MANGOHUD], &[&VALIDATION]),
        (&[&RENDERDOC], &[&VALIDATION]),
        (&[&VKBASALT], &[&MESA_OVERLAY]),
        (&[], &[&VALIDATION, &MESA_OVERLAY]),
        (&[&DEVICE_SELECT], &[&VALIDATION, &MESA_OVERLAY]),
        (&[&MANGOHUD, &VKBASALT], &[&VALIDATION]),
        (&[&RENDERDOC, &MANGOHUD, &VKBASALT, &DEVICE_SELECT], &[&VALIDATION, &MESA_OVERLAY]),
    ];
    let benches = DRIVERS.map(|driver| Bench::new(driver, &layers));
    for (bench, (on, named)) in
        benches.iter().flat_map(|bench| combinations.iter().map(move |it| (bench, *it)))
    {
        let seen = bench.run_on_both(on, named);
        let all = active(&[on, named].concat());
        let expected = [chain("instance", &all), chain("device", &for_devices(&all))];
        assert_eq!(seen.chains.lines().collect::<Vec<_>>(), expected);
        assert_eq!(seen.ended, Some(0), "{}", seen.chains);
    }
}

/// The order in which implicit layers are found is the order in which they are called, except that `RenderDoc` comes before its neighbours:
/// on the distribution's library, they do not work above it.
#[test]
fn pairs_of_implicit_layers_in_both_orders() {
    skip_unless!(NEEDS);
    for driver in DRIVERS {
        for (one, other) in [(&MANGOHUD, &VKBASALT), (&RENDERDOC, &MANGOHUD), (&RENDERDOC, &VKBASALT)] {
            for pair in [[one, other], [other, one]] {
                let seen = Bench::new(driver, &pair).run_on_both(&pair, &[]);
                let called = if pair[1] == &RENDERDOC { [one, other] } else { pair };
                assert_eq!(seen.chains.lines().next(), Some(chain("instance", &called).as_str()));
                assert_eq!(seen.ended, Some(0), "{seen:?}");
            }
        }
    }
}

/// The order of the variable counts here; the distribution's library takes the order in which it finds the manifests.
#[test]
fn explicit_layers_come_in_the_order_of_their_variable() {
    skip_unless!(NEEDS);
    let bench = Bench::new(DRIVERS[1], &[&VALIDATION, &MESA_OVERLAY]);
    let (one, other) = ([&VALIDATION, &MESA_OVERLAY], [&MESA_OVERLAY, &VALIDATION]);
    for named in [one, other] {
        let ours = bench.run(&Library::under_test(), &[], &named);
        assert_eq!(ours.chains.lines().next(), Some(chain("instance", &named).as_str()));
        assert_eq!(ours.ended, Some(0));
        let theirs = bench.run(&Library::distribution(), &[], &named);
        assert_eq!(theirs.chains.lines().next(), Some(chain("instance", &one).as_str()));
    }
}
