using System.Globalization;
using System.Text;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Ordering;

namespace QuickSilver;

/// <summary>The rule for names of clusters, nodes and groups: 1-255 bytes of well-formed, visible UTF-8. Control and
/// format characters, line separators, private characters and more than two combining marks in a row are
/// refused.</summary>
internal static class Names
{
    private const int ShownLength = 24;
    private static readonly UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>Whether a name obeys the rule.</summary>
    public static bool IsValid(string? name)
    {
        if (string.IsNullOrEmpty(name) || name.Length > FrameFields.MaxNameBytes || !FrameFields.IsPlain(name))
            return false;
        return Strict.GetByteCount(name) <= FrameFields.MaxNameBytes;
    }

    /// <summary>Refuses names that no group may have.</summary>
    /// <exception cref="ArgumentException">The name is empty, too long, has a lone surrogate or an invisible character,
    /// begins with the reserved '$', or is that of the group of all nodes in ordered groups.</exception>
    public static void ThrowIfNotAGroupName(string? name, string parameter)
    {
        ArgumentNullException.ThrowIfNull(name, parameter);
        if (!IsValid(name))
            throw new ArgumentException(
                $"A group's name is 1-255 bytes of UTF-8 without control or hidden characters: {Fault(name)}.",
                parameter);
        if (name[0] == '$')
            throw new ArgumentException(
                $"'{name}' begins with '$', and such names are reserved: choose another.", parameter);
        if (RingGroup.Is(name))
            throw new ArgumentException(
                $"'{name}' is the group of all nodes in ordered groups, which a node joins by itself: choose another "
                + "name.",
                parameter);
    }

    private static bool IsWellFormed(string name)
    {
        try
        {
            return Strict.GetByteCount(name) > 0;
        }
        catch (EncoderFallbackException)
        {
            return false;
        }
    }

    /// <summary>Describes the fault of an invalid name for an error message, with as much of the name as can be
    /// shown.</summary>
    public static string Fault(string? name)
    {
        if (string.IsNullOrEmpty(name)) return "this one is empty";
        if (name.Any(char.IsControl)) return "this one has a line break, or another control character";
        if (IsWellFormed(name) && !FrameFields.IsPlain(name))
            return "this one has a hidden or private character, a line separator, "
                + "or more than two combining marks in a row";
        int bytes = Encoding.UTF8.GetByteCount(name);
        return bytes > FrameFields.MaxNameBytes
            ? string.Create(CultureInfo.InvariantCulture, $"'{name[..ShownLength]}...' has {bytes} bytes")
            : "this one has half of a surrogate pair";
    }
}
