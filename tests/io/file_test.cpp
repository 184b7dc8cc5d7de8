// Files that are whole or absent, whatever happens to the writer.
#include "topos/base/file.hpp"

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "io/support.hpp"
#include "topos/io/npy.hpp"
#include "topos/io/npz.hpp"

namespace topos::io_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WholeFile : public Files {};

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST_F(WholeFile, takes_the_place_of_the_old_one_only_when_it_is_committed) {
  write_file(path("a"), "old");
  {
    FileReplacement replacement(path("a"));
    replacement.write("new and ");
    EXPECT_EQ(names().size(), 2u);
    EXPECT_EQ(read_file(path("a")), "old");
  }
  EXPECT_EQ(read_file(path("a")), "old");
  FileReplacement replacement(path("a"));
  replacement.write("new and ");
  replacement.write("whole");
  replacement.commit();
  EXPECT_EQ(read_file(path("a")), "new and whole");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(WholeFile, keeps_the_old_mode_and_takes_the_mask_for_a_new_one) {
  const mode_t mask = ::umask(027);
  write_file(path("new"), "");
  ::umask(mask);
  EXPECT_EQ(mode_of(path("new")), 0640u);
  ASSERT_EQ(::chmod(path("new").c_str(), 0600), 0);
  write_file(path("new"), "again");
  EXPECT_EQ(mode_of(path("new")), 0600u);
}

TEST_F(WholeFile, removes_what_a_killed_writer_left_and_nothing_of_a_living_one) {
  std::ofstream(path(".topos-1-2.partial")) << "left";
  std::ofstream(path("a.partial")) << "somebody's";
  FileReplacement living(path("a"));
  write_file(path("b"), "");
  EXPECT_EQ(names().size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(path(".topos-1-2.partial")));
  living.commit();
  EXPECT_THAT(names(), ElementsAre("a", "a.partial", "b"));
}

TEST_F(WholeFile, leaves_nothing_behind_when_its_place_cannot_be_taken) {
  std::filesystem::create_directory(path("folder"));
  EXPECT_THAT(failure_of([&] { write_file(path("folder"), "text"); }), HasSubstr("cannot replace"));
  EXPECT_THAT(names(), ElementsAre("folder"));
  EXPECT_THAT(failure_of([&] { write_file(path("missing/a"), "text"); }),
              HasSubstr("cannot create a file beside " + path("missing/a") + ": No such file"));
}

TEST_F(WholeFile, stays_the_old_one_when_there_is_no_room_for_the_new_one) {
  write_file(path("a"), "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::string failure = failure_of([&] { write_file(path("a"), std::string(2000, 'x')); });
    ::_exit(failure == "cannot write " + path("a") + ": File too large" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(read_file(path("a")), "old");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(WholeFile, is_one_of_those_that_threads_write_at_once) {
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = 0; i < 25; ++i) {
          write_file(path("a"), std::string(10000, static_cast<char>('a' + writer)));
          const std::string content = read_file(path("a"));
          EXPECT_EQ(content, std::string(10000, content[0]));
        }
      });
    }
  }
  EXPECT_THAT(names(), ElementsAre("a"));
}

class UnreadableFile : public Files {
 protected:
  /// What each loader says about the path.
  std::vector<std::string> failures(const std::string& at) {
    return {failure_of([&] { load_checkpoint(at); }), failure_of([&] { load_npy(at); }),
            failure_of([&] { load_npz(at); })};
  }
};

TEST_F(UnreadableFile, is_named_with_the_reason) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(path("folder"));
  std::filesystem::create_symlink(path("loop"), path("loop"));
  EXPECT_THAT(failures(path("missing")),
              ::testing::Each("cannot open " + path("missing") + ": No such file or directory"));
  EXPECT_THAT(failures(path("folder")),
              ::testing::Each("cannot read " + path("folder") + ": Is a directory"));
  EXPECT_THAT(failures(path("pipe")),
              ::testing::Each("cannot read " + path("pipe") + ": not a regular file"));
  EXPECT_THAT(failures("/dev/zero"), ::testing::Each("cannot read /dev/zero: not a regular file"));
  EXPECT_THAT(failures(path("loop")), ::testing::Each(HasSubstr("Too many levels of symbolic links")));
}

TEST_F(UnreadableFile, may_be_empty) {
  write_file(path("empty"), "");
  EXPECT_THAT(failures(path("empty")),
              ElementsAre(path("empty") +
                              " is not a whole safetensors file: 0 bytes are too few for a header's length",
                          path("empty") + " is not a whole npy file: 0 bytes are too few for a header",
                          path("empty") + " is not a whole npz file: 0 bytes are too few for a zip archive"));
}

TEST_F(UnreadableFile, may_be_cut_while_it_is_read) {
  write_file(path("a"), std::string(100, 'x'));
  const FileReader reader(path("a"));
  EXPECT_EQ(reader.size(), 100u);
  EXPECT_EQ(reader.path(), path("a"));
  std::filesystem::resize_file(path("a"), 50);
  std::vector<std::byte> bytes(100);
  EXPECT_THAT(failure_of([&] { reader.read(0, bytes); }),
              HasSubstr("ends at byte 50 and had 100 bytes when"));
}

}  // namespace
}  // namespace topos::io_tests
