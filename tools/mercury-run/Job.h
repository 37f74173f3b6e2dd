//===- Job.h - This process as one of an MPI job ----------------*- C++ -*-===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ranks as processes. Three processes of one program have a part in it:
//   launcher    started by the user without mpirun; starts mpirun
//   supervisor  started by mpirun, one a rank; says how its rank has ended
//   rank        child of the supervisor; compiles and runs
// Where the user has started mpirun, there is no launcher.
//
//===----------------------------------------------------------------------===//
#ifndef MERCURY_TOOLS_MERCURY_RUN_JOB_H
#define MERCURY_TOOLS_MERCURY_RUN_JOB_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mercury::run {

struct CompileOptions;

/// Was this process started by a launcher of MPI?
bool isPartOfJob();

/// The implementation of MPI to use: `wanted`, or when that is empty the one
/// whose mpirun started this process, else the first that the build has. Fails
/// when the build has no such implementation, or another one's mpirun started
/// this process.
llvm::Expected<std::string> chooseMPI(llvm::StringRef wanted);

/// Processes that a job for `module` needs: ranks of its topology, or of the
/// one that `options` name.
llvm::Expected<int64_t> countRanks(mlir::ModuleOp module,
                                   const CompileOptions &options);

/// Runs this program again under mpirun with `arguments`, a process for each
/// rank, and returns its exit code. Interrupts that are caught (Interrupt.h) go
/// to the ranks.
llvm::Expected<int> launchJob(llvm::StringRef implementation, int64_t numRanks,
                              llvm::ArrayRef<std::string> arguments);

/// Becomes the supervisor, which ends with its child's exit code, and returns
/// in the child. A rank that is killed, or that ends without finishJob, is
/// reported by number, and ends the job. Interrupts that are caught go to the
/// child.
llvm::Error superviseRank();

/// Becomes a rank of the job that this process is part of: chooses MPI,
/// supervises, and binds to the library. Returns its number.
llvm::Expected<int> joinJob(llvm::StringRef wanted);

/// Which of the processes of the job this is; 0 where ranks are threads.
llvm::Expected<int> processNumber();

/// The last call of a rank: the exit code that all agree on. In rank 0, `text`
/// becomes the reason when that comes from another rank.
int finishJob(int code, std::string &text);

} // namespace mercury::run

#endif // MERCURY_TOOLS_MERCURY_RUN_JOB_H
