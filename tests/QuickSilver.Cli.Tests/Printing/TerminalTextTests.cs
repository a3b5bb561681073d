using System.Text;
using FsCheck;
using FsCheck.Fluent;
using QuickSilver.Cli.Printing;

namespace QuickSilver.Cli.Tests.Printing;

public sealed class TerminalTextTests
{
    [Theory]
    [InlineData("plain text", "plain text")]
    [InlineData("größe 東京 🙂", "größe 東京 🙂")]
    [InlineData("a\nb\r\tc", "a\\nb\\r\\tc")]
    [InlineData("\u001b[31mred\u001b[0m", "\\u{1b}[31mred\\u{1b}[0m")]
    [InlineData("\u001b]0;title\u0007", "\\u{1b}]0;title\\u{7}")]
    [InlineData("\u009b2J\u007f", "\\u{9b}2J\\u{7f}")]
    [InlineData("a\u202egnp.exe", "a\\u{202e}gnp.exe")]
    [InlineData("zero\u200bwidth\u2028line", "zero\\u{200b}width\\u{2028}line")]
    [InlineData("\ue000 private", "\\u{e000} private")]
    [InlineData("e\u0301\u0302\u0303\u0304", "e\u0301\u0302\\u{303}\\u{304}")]
    [InlineData("[red]markup[/]", "[red]markup[/]")]
    [InlineData("", "")]
    public void What_a_terminal_would_act_on_is_made_visible(string text, string shown) =>
        Assert.Equal(shown, TerminalText.Escape(text));

    [Fact]
    public void Half_of_a_surrogate_pair_is_made_visible() =>
        Assert.Equal("a\\u{d83d}b", TerminalText.Escape("a\ud83db"));

    [Theory]
    [InlineData("abcdef", 6, "abcdef")]
    [InlineData("abcdefg", 6, "abcde…")]
    [InlineData("abcd🙂🙂", 6, "abcd…")]
    [InlineData("\u001b\u001b\u001b", 5, "\\u{1…")]
    public void A_long_text_is_cut(string text, int length, string shown) =>
        Assert.Equal(shown, TerminalText.Escape(text, length));

    [Fact]
    public void No_text_whatever_leaves_a_control_character()
    {
        Prop.ForAll<string?>(text =>
        {
            string shown = TerminalText.Escape(text ?? "");
            return shown.All(static one => !char.IsControl(one));
        }).QuickCheckThrowOnFailure();
        for (int value = 0; value <= 0x10FFFF; value++)
        {
            if (!Rune.IsValid(value)) continue;
            string shown = TerminalText.Escape(new Rune(value).ToString());
            Assert.True(shown.All(static one => !char.IsControl(one)), $"{value:x}");
        }
    }

    [Fact]
    public void Bytes_that_are_no_text_are_base64()
    {
        Assert.Equal("base64:/wA=", PayloadText.ForLine([0xff, 0]));
        Assert.Equal("a\\u{1b}", PayloadText.ForLine("a\u001b"u8));
    }

    [Fact]
    public void A_line_of_json_is_printable_ascii()
    {
        string json = ItemJson.ToText(new PrintItem("message").Add("text", "\u001b[2J größe\u009b")
            .Add("no", null).Add("list", new[] { "a\n" }).Add("time", TimeSpan.FromSeconds(1.5))
            .Add("rate", double.NaN));
        Assert.All(json, static one => Assert.InRange(one, ' ', '~'));
        Assert.Equal("\u001b[2J größe\u009b", ToolRun.Parse(json).GetProperty("text").GetString());
        Assert.Equal(1.5, ToolRun.Parse(json).GetProperty("time").GetDouble());
    }
}
