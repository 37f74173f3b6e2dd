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
#include <atomic>
#include <thread>

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
    problem = gemmProblem(64, 64, 64, "f32", 4);
    op = problem.op;
    key = {describeProblem(problem), fingerprint(topology), "time"};
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
  CostProblem problem;
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
  std::optional<TuningHit> hit = again.find(key, op, topology, reason);
  ASSERT_TRUE(hit) << reason;
  EXPECT_EQ(hit->schedule, Schedule::replicated(op));
  EXPECT_TRUE(hit->isExact);
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

TEST_F(Database, FindsWhatIsInARange) {
  std::string remark, reason;
  TuningDatabase database;
  ASSERT_TRUE(bool(database.open(path, remark)));
  entry.validFor = describeProblem(problem, {{16, 256}, {64, 64}, {32, 64}});
  entry.gap = 0.05;
  database.set(key, entry);
  ASSERT_TRUE(bool(database.save()));
  TuningDatabase again;
  ASSERT_TRUE(bool(again.open(path, remark)));
  auto find = [&](int64_t m, int64_t n, int64_t k, std::string type = "f32") {
    CostProblem other = gemmProblem(m, n, k, type, 4);
    return again.find({describeProblem(other), key.topology, key.goal},
                      other.op, topology, reason);
  };
  std::optional<TuningHit> hit = find(100, 64, 32);
  ASSERT_TRUE(hit) << reason;
  EXPECT_FALSE(hit->isExact);
  EXPECT_EQ(hit->entry.gap, 0.05);
  ASSERT_TRUE(find(64, 64, 64));
  EXPECT_TRUE(find(64, 64, 64)->isExact);
  EXPECT_FALSE(find(8, 64, 64));
  EXPECT_FALSE(find(512, 64, 64));
  EXPECT_FALSE(find(64, 32, 64));
  EXPECT_FALSE(find(64, 64, 128));
  EXPECT_FALSE(find(64, 64, 64, "bf16"));
  EXPECT_EQ(reason, "");
}

TEST_F(Database, KnowsExtentsWithoutALoop) {
  AttentionShape shape{1, 4, 1, 64, 64, 128, 128};
  std::string wide = describeProblem(attentionProblem(shape, {}, "f32", 4));
  shape.headDim = 64;
  EXPECT_NE(describeProblem(attentionProblem(shape, {}, "f32", 4)), wide);
}

TEST_F(Database, RangesStandForExtentsAlone) {
  EXPECT_TRUE(isWithin("f 8..16 x +2..4", "f 12 x +4"));
  EXPECT_FALSE(isWithin("f 8..16 x +2..4", "f 12 x 4"));
  EXPECT_FALSE(isWithin("f 8..16 x +2..4", "f 17 x +4"));
  EXPECT_FALSE(isWithin("f 8..16", "f 8 x 4"));
  EXPECT_FALSE(isWithin("f 8..", "f 8"));
  EXPECT_FALSE(isWithin("f 8..16", "f 8..16x"));
}

TEST_F(Database, TwoThatSaveAtOnceLoseNothing) {
  std::vector<std::thread> writers;
  std::atomic<int> failures = 0;
  for (int writer = 0; writer < 8; ++writer)
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 25; ++i) {
        TuningDatabase database;
        std::string remark;
        TuningKey own = key;
        own.goal += std::to_string(writer * 25 + i);
        bool isOpen(database.open(path, remark));
        database.set(own, entry);
        failures += !isOpen || !database.save();
      }
    });
  for (std::thread &writer : writers)
    writer.join();
  EXPECT_EQ(failures, 0);
  std::string remark;
  TuningDatabase all;
  ASSERT_TRUE(bool(all.open(path, remark)));
  EXPECT_EQ(all.size(), 200u);
}

TEST_F(Database, MovesWhatIsNotOursAside) {
  write("{\"format\": \"mercury tun");
  expectRefused(path + ".refused", "is refused");
  write("[1, 2]");
  expectRefused(path + ".refused-2", "its format is not");
  write("{\"format\": \"mercury tuning database\", \"version\": 7}");
  expectRefused(path + ".refused-3", "its version is 7, expected 1 to 2");
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
