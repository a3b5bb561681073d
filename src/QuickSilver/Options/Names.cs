using System.Globalization;
using System.Text;
using QuickSilver.Protocol.Membership.Frames;

namespace QuickSilver;

/// <summary>The rule for names of clusters, nodes and groups: 1-255 bytes of well-formed UTF-8 without control characters.</summary>
internal static class Names
{
    private const int ShownLength = 24;
    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>True for names that may be used.</summary>
    public static bool IsValid(string? name)
    {
        if (string.IsNullOrEmpty(name) || name.Length > FrameFields.MaxNameBytes || !FrameFields.IsOneLine(name)) return false;
        try
        {
            return Strict.GetByteCount(name) <= FrameFields.MaxNameBytes;
        }
        catch (EncoderFallbackException)
        {
            return false;
        }
    }

    /// <summary>Refuses names that no group may have.</summary>
    /// <exception cref="ArgumentException">The name is empty, too long, has a lone surrogate or a control character, or begins with '$', which is
    /// reserved.</exception>
    public static void ThrowIfNotAGroupName(string? name, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (!IsValid(name))
            throw new ArgumentException($"A group's name is 1-255 bytes of UTF-8 without control characters: {Fault(name)}.", parameter);
        if (name[0] == '$') throw new ArgumentException($"'{name}' begins with '$', and such names are reserved: choose another.", parameter);
    }

    /// <summary>What is wrong with a name that is not valid, for people; it is shown as far as it can be.</summary>
    public static string Fault(string? name)
    {
        if (string.IsNullOrEmpty(name)) return "this one is empty";
        if (!FrameFields.IsOneLine(name)) return "this one has a line break, or another control character";
        int bytes = Encoding.UTF8.GetByteCount(name);
        return bytes > FrameFields.MaxNameBytes
            ? string.Create(CultureInfo.InvariantCulture, $"'{name[..ShownLength]}...' has {bytes} bytes")
            : "this one has half of a surrogate pair";
    }
}
