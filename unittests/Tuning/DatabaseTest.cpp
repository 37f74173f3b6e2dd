//===- DatabaseTest.cpp - Schedules that were found before ----------------===//
//
// Part of the Mercury project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Mercury/Tuning/Database.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace mercury;

namespace {
struct Database : public testing::Test {
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tuning", folder));
    root = folder.str();
    path = root + "/found.json";
    std::string error;
    topology = *parseTopology("gpu=4", error);
    op.name = "linalg.matmul";
    op.loops = {{false, 64}, {false, 64}, {true, 64}};
    op.inputs = {{{0, 2}}, {{2, 1}}};
    op.results = {{{0, 1}}};
    op.hasCombiner = op.hasCollective = op.neutralInit = {true};
    key = {describeProblem(op, "f32"), fingerprint(topology), "time"};
    entry.machine = "gpu=4";
    entry.schedule = print(Schedule::replicated(op));
    entry.seconds = 1e-3;
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(root));
  }
  void write(llvm::StringRef text, std::string file = "") {
    std::error_code error;
    llvm::raw_fd_ostream(file.empty() ? path : file, error) << text;
    ASSERT_FALSE(error);
  }
  std::string read(const std::string &file) {
    auto buffer = llvm::MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : "missing";
  }
  /// Opens the file, expects that it is moved to `aside`, and why.
  void expectRefused(const std::string &aside, const char *why) {
    std::string before = read(path), remark;
    TuningDatabase database;
    ASSERT_TRUE(bool(database.open(path, remark)));
    EXPECT_NE(remark.find(why), std::string::npos) << remark;
    EXPECT_NE(remark.find(aside), std::string::npos) << remark;
    EXPECT_EQ(database.size(), 0u);
    EXPECT_EQ(read(aside), before);
    EXPECT_FALSE(llvm::sys::fs::exists(path));
  }

  std::string root, path;
  TopologyModel topology;
  OperatorModel op;
  TuningKey key;
  TuningEntry entry;
};
} // namespace

TEST_F(Database, FindsWhatItSaved) {
  std::string remark, reason;
  TuningDatabase database;
  ASSERT_TRUE(bool(database.open(path, remark)));
  EXPECT_FALSE(database.find(key, op, topology, reason));
  EXPECT_EQ(reason, "");
  database.set(key, entry);
  ASSERT_TRUE(bool(database.save()));
  TuningDatabase again;
  ASSERT_TRUE(bool(again.open(path, remark)));
  EXPECT_EQ(again.find(key, op, topology, reason), Schedule::replicated(op));
  EXPECT_EQ(remark, "");
}

TEST_F(Database, KeepsWhatOthersAdded) {
  std::string remark, reason;
  TuningDatabase one, two;
  ASSERT_TRUE(bool(one.open(path, remark)));
  ASSERT_TRUE(bool(two.open(path, remark)));
  one.set(key, entry);
  ASSERT_TRUE(bool(one.save()));
  TuningKey other = key;
  other.goal = "memory";
  two.set(other, entry);
  ASSERT_TRUE(bool(two.save()));
  TuningDatabase all;
  ASSERT_TRUE(bool(all.open(path, remark)));
  EXPECT_EQ(all.size(), 2u);
}

TEST_F(Database, RefusesForeignAndStaleEntries) {
  std::string remark, reason;
  TuningDatabase database;
  ASSERT_TRUE(bool(database.open(path, remark)));
  TopologyModel faster = topology;
  faster.levels[0].bandwidth = 1e9;
  database.set({key.op, fingerprint(faster), key.goal}, entry);
  EXPECT_FALSE(database.find(key, op, topology, reason));
  EXPECT_NE(reason.find("another machine"), std::string::npos) << reason;
  TuningEntry stale = entry;
  stale.schedule = "loops [rank rack, -, -] inputs [[{rack}, {}], [{}, {}]] "
                   "results [[{rack}, {}]]";
  database.set(key, stale);
  EXPECT_FALSE(database.find(key, op, topology, reason));
  EXPECT_NE(reason.find("axis 'rack' is not in the topology"),
            std::string::npos)
      << reason;
  stale.schedule = "loops of another version";
  database.set(key, stale);
  EXPECT_FALSE(database.find(key, op, topology, reason));
  EXPECT_NE(reason.find("cannot be read"), std::string::npos) << reason;
}

TEST_F(Database, MovesWhatIsNotOursAside) {
  write("{\"format\": \"mercury tun");
  expectRefused(path + ".refused", "is refused");
  write("[1, 2]");
  expectRefused(path + ".refused-2", "its format is not");
  write("{\"format\": \"mercury tuning database\", \"version\": 7}");
  expectRefused(path + ".refused-3", "its version is 7, expected 1");
  write("{\"format\": \"mercury tuning database\", \"version\": 1, "
        "\"entries\": [{\"operator\": \"f\"}]}");
  expectRefused(path + ".refused-4", "an entry lacks one of");
}

TEST_F(Database, DoesNotOverwriteWhatBecameForeign) {
  std::string remark;
  TuningDatabase database;
  ASSERT_TRUE(bool(database.open(path, remark)));
  database.set(key, entry);
  write("notes");
  EXPECT_FALSE(bool(database.save()));
  EXPECT_EQ(read(path), "notes");
}

TEST_F(Database, SaysWhereItCannotWrite) {
  std::string remark;
  TuningDatabase database;
  ASSERT_TRUE(bool(database.open(root + "/no/folder.json", remark)));
  database.set(key, entry);
  Verdict verdict = database.save();
  EXPECT_NE(verdict.reason().find("no/folder.json"), std::string::npos)
      << verdict.reason();
}

TEST_F(Database, FingerprintsKnowAllFigures) {
  TopologyModel other = topology;
  EXPECT_EQ(fingerprint(other), fingerprint(topology));
  other.levels[0].curves[Primitive::AllReduce].points = {{1024, 1e9}};
  EXPECT_NE(fingerprint(other), fingerprint(topology));
  other = topology;
  other.device.memory = 1;
  EXPECT_NE(fingerprint(other), fingerprint(topology));
}
