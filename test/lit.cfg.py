# Configuration of lit, the runner of the tests in this folder. The values that
# CMake knows come from lit.site.cfg.py.in.

import os
import shutil

import lit.formats
import lit.util

from lit.llvm import llvm_config

config.name = "MERCURY"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mercury_obj_root, "test")

# A test that hangs fails after five minutes; lit can end it where Python's
# psutil is installed.
if lit.util.killProcessAndChildrenIsSupported()[0]:
    lit_config.maxIndividualTestTime = 300

config.substitutions.append(
    (
        "%mlir_c_runner_utils",
        os.path.join(config.mlir_lib_dir, "libmlir_c_runner_utils" + config.shlibext),
    )
)
config.substitutions.append(("%mercury_obj_root", config.mercury_obj_root))
config.substitutions.append(("%mercury_lib_dir", config.mercury_lib_dir))
config.substitutions.append(
    ("%mercury_include_dir", config.mercury_src_root + "/include")
)
config.substitutions.append(("%shlibext", config.shlibext))
config.substitutions.append(("%examples_dir", config.mercury_src_root + "/examples"))
config.substitutions.append(("%cmake", config.cmake))
config.substitutions.append(("%cxx", config.cxx))

# openblas: libmercury_blas was built, --local=blas works.
if config.has_openblas:
    config.available_features.add("openblas")

# mpich, openmpi: --ranks-as=mpi works with it. %mpirun-* runs more processes than
# there are cores, as root too.
for implementation, mpirun in config.mpirun.items():
    if mpirun:
        config.available_features.add(implementation)
        if implementation == "openmpi":
            mpirun += " --oversubscribe --quiet --bind-to none"
            mpirun += " --allow-run-as-root" if os.geteuid() == 0 else ""
        config.substitutions.append(("%mpirun-" + implementation, mpirun))
    else:
        lit_config.note(implementation + " was not found: its tests are skipped")

# real-ir: %data_dir is a folder with IR that other compilers wrote.
if config.data_dir and os.path.isdir(os.path.join(config.data_dir, "real-ir")):
    config.available_features.add("real-ir")
    config.substitutions.append(("%data_dir", config.data_dir))

# topologies: %data_dir is a folder with files that describe machines.
if config.data_dir and os.path.isdir(os.path.join(config.data_dir, "topologies")):
    config.available_features.add("topologies")
    if "real-ir" not in config.available_features:
        config.substitutions.append(("%data_dir", config.data_dir))

# graphviz: pictures can be drawn.
if shutil.which("dot"):
    config.available_features.add("graphviz")

# cuda: the compiler finds libdevice and ptxas (lib/Transforms/Gpu/Toolkit.h) below
# %cuda_root. nccl: programs can be linked with NCCL there.
cuda_variables = ["CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"]
ptxas = shutil.which("ptxas")
cuda_roots = [os.environ.get(variable) for variable in cuda_variables]
cuda_roots.append(os.path.dirname(os.path.dirname(os.path.realpath(ptxas))) if ptxas else None)
cuda_roots.append("/usr/local/cuda")
for root in filter(None, cuda_roots):
    if os.path.exists(root + "/nvvm/libdevice/libdevice.10.bc") and os.path.exists(
        root + "/bin/ptxas"
    ):
        config.available_features.add("cuda")
        config.substitutions.append(("%cuda_root", root))
        if os.path.exists(root + "/lib64/libnccl.so"):
            config.available_features.add("nccl")
        break
else:
    lit_config.note("no CUDA toolkit was found: its tests are skipped")

# chromium: a browser draws pages without a screen.
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium:
    config.available_features.add("chromium")
    config.substitutions.append(
        ("%chromium", chromium + " --headless --no-sandbox --disable-gpu")
    )
else:
    lit_config.note("no chromium was found: pages are not opened")

# long: tests of more than a minute, asked for by `-D MERCURY_LONG_TESTS=ON` or
# `lit --param long=1`.
if config.long_tests or lit_config.params.get("long", "0") != "0":
    config.available_features.add("long")

# A BLAS that has to be told the kernels for this CPU is told so in tests, too.
llvm_config.with_system_environment(
    ["OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "TMPDIR"] + cuda_variables
)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.mercury_tools_dir, append_path=True)

llvm_config.add_tool_substitutions(
    ["mercury-opt", "mercury-run", "mercury-translate"], [config.mercury_tools_dir]
)
llvm_config.add_tool_substitutions(
    ["mlir-opt", "mlir-runner", "FileCheck", "not", "split-file", "count"],
    [config.llvm_tools_dir],
)
