using System.Text;
using System.Text.Unicode;

namespace QuickSilver.Cli.Printing;

/// <summary>The bytes of a message as text: UTF-8 where they are that, base64 otherwise.</summary>
internal static class PayloadText
{
    /// <summary>The text for a line: visible, with "base64:" before bytes that are no text.</summary>
    public static string ForLine(ReadOnlySpan<byte> payload) => Utf8.IsValid(payload)
        ? TerminalText.Escape(Encoding.UTF8.GetString(payload))
        : "base64:" + Convert.ToBase64String(payload);

    /// <summary>Adds the payload to a line of JSON: "text", or "base64" for bytes that are no text.</summary>
    public static PrintItem AddPayload(this PrintItem item, ReadOnlySpan<byte> payload) => Utf8.IsValid(payload)
        ? item.Add("text", Encoding.UTF8.GetString(payload))
        : item.Add("base64", Convert.ToBase64String(payload));
}
