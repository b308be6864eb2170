// The candidate that an operator has set, on disk.

#include "../../../src/server/candidate/candidate_record.hpp"

#include "support/folder.hpp"

namespace headgate::server {
namespace {

class CandidateRecords : public headgate::test::Folder {};

TEST_F(CandidateRecords, GiveBackWhatWasWrittenByteByByte) {
  const CandidateRecord record(path("headgate.json"));
  const std::string text("{\n\0 }\n\n", 8);
  ASSERT_EQ(record.write({.text = text, .name = "n\n\"\xff", .over = "o 1"}), std::nullopt);
  const auto read = CandidateRecord(path("headgate.json")).read();
  ASSERT_TRUE(read.has_value() && *read);
  EXPECT_EQ((*read)->text, text);
  EXPECT_EQ((*read)->name, "n\n\"\xef\xbf\xbd") << "what is no UTF-8 is replaced";
  EXPECT_EQ((*read)->over, "o 1");
  EXPECT_EQ(record.remove(), std::nullopt);
  EXPECT_EQ(record.remove(), std::nullopt) << "there is none any more";
}

TEST_F(CandidateRecords, KeepNoOlderOneWhenAnotherCannotBeWritten) {
  const std::string file(241, 'a');  // with what a new file is called meanwhile, its name is too long
  const CandidateRecord record(path(file));
  const auto old = write(file + ".candidate", "{\"form\":1}\nold");
  EXPECT_NE(record.write({.text = "new", .name = "", .over = ""}), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(old)) << "a restart must not set it";
}

}  // namespace
}  // namespace headgate::server
