using QuickSilver.Security;

namespace QuickSilver;

/// <summary>A secret key that all nodes of a cluster hold: 32 random bytes, as base64 or hexadecimal text. Never a pass
/// phrase. Immutable; any thread.</summary>
public sealed class PreSharedKey
{
    private readonly byte[]? _bytes;

    private PreSharedKey(string? path, byte[]? bytes, bool isOfUser = false)
    {
        Path = path;
        _bytes = bytes;
        IsOfUser = isOfUser;
    }

    internal string? Path { get; }

    internal bool IsOfUser { get; }

    internal ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>A key from a file, which is read when a node starts. Each line is a key: the first is used, all are
    /// accepted. A running node reads the file again when it has changed, so that keys can be replaced. Lines that
    /// begin with '#' are skipped.</summary>
    /// <param name="path">Path of the file. Users other than its owner and group may have no access to it, nor may
    /// they replace files in its folder.</param>
    /// <exception cref="ArgumentException">The path is empty. A file that cannot be read is found by the start of a
    /// node.</exception>
    public static PreSharedKey FromFile(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return new PreSharedKey(path, null);
    }

    internal static PreSharedKey OfUser(string path) => new(path, null, isOfUser: true);

    /// <summary>A key from a text, such as an environment variable.</summary>
    /// <param name="text">32 bytes as base64 or hexadecimal text.</param>
    /// <exception cref="ArgumentException">The text is no key; the message does not contain it.</exception>
    public static PreSharedKey FromBase64(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        return KeyText.TryParse(text, out byte[] key, out string fault)
            ? new PreSharedKey(null, key)
            : throw new ArgumentException($"The text {fault}.", nameof(text));
    }

    /// <summary>Makes a new key and writes it to a new file that only the current user may read. Copy the file to the
    /// other machines over a channel that nobody else reads.</summary>
    /// <param name="path">Path of the file, which must not exist.</param>
    /// <exception cref="ArgumentException">The path is empty.</exception>
    /// <exception cref="IOException">The file exists or cannot be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The user may not write there.</exception>
    public static void CreateFile(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        KeyFile.WriteNew(path);
    }

    /// <summary>The origin of the key, never the key itself.</summary>
    public override string ToString() => Path is null ? "a key given as text" : $"the keys in {Path}";
}
