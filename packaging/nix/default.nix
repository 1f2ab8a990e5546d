# `nix-build packaging/nix` builds this checkout. The output replaces nixpkgs' vulkan-loader, and has the tool.
{
  pkgs ? import <nixpkgs> { },
}:
let
  inherit (pkgs) lib rustPlatform addDriverRunpath;
  workspace = lib.importTOML ../../Cargo.toml;
in
rustPlatform.buildRustPackage {
  pname = "vkload";
  inherit (workspace.workspace.package) version;
  src = lib.cleanSource ../..;
  cargoLock.lockFile = ../../Cargo.lock;

  # Drivers are below this folder, as for nixpkgs' own loader.
  buildPhase = ''
    runHook preBuild
    sh packaging/install.sh --prefix "$out" --sysconfdir ${addDriverRunpath.driverLink}/share --destdir image
    runHook postBuild
  '';
  installPhase = ''
    runHook preInstall
    cp -r "image$out" "$out"
    runHook postInstall
  '';
  # They need drivers and other loaders.
  doCheck = false;

  meta = {
    description = "Vulkan loader and a command that explains why Vulkan does not work";
    homepage = workspace.workspace.package.repository;
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "vkload";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
      "armv7l-linux"
      "i686-linux"
      "riscv64-linux"
    ];
  };
}
