using System.Buffers.Text;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>Reads and writes files with secrets. A file that users other than its owner and group may read or write is
/// refused, as is one that its group may write: to read it is to have the key. What is read of a secret lies in memory
/// that the collector does not move and so does not copy, and is overwritten after use.</summary>
internal static partial class KeyFile
{
    private const int LongestFile = 1 << 16;
    private const int FileExists = 17;
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Reads the keys of a file, one a line.</summary>
    /// <param name="path">The path.</param>
    /// <param name="trust">What is demanded of the file.</param>
    /// <param name="keys">The keys, which the caller overwrites after use; empty after a failure.</param>
    /// <returns>The fault, as a clause that names the path; null for none.</returns>
    public static string? TryRead(string path, FileTrust trust, out IReadOnlyList<byte[]> keys)
    {
        var found = new List<byte[]>();
        keys = found;
        if (TryReadBytes(path, trust, out byte[] bytes) is { } fault) return fault;
        fault = TryParse(path, bytes, found);
        CryptographicOperations.ZeroMemory(bytes);
        if (fault is null) return null;
        foreach (byte[] key in found) CryptographicOperations.ZeroMemory(key);
        found.Clear();
        return fault;
    }

    /// <summary>Reads a text file.</summary>
    /// <param name="path">The path.</param>
    /// <param name="trust">What is demanded of the file.</param>
    /// <param name="text">The text, which the caller overwrites when it is secret; empty after a failure.</param>
    /// <returns>The fault, as a clause that names the path; null for none.</returns>
    public static string? TryReadText(string path, FileTrust trust, out char[] text)
    {
        text = [];
        if (TryReadBytes(path, trust, out byte[] bytes) is { } fault) return fault;
        text = GC.AllocateArray<char>(Encoding.UTF8.GetCharCount(bytes), pinned: true);
        Encoding.UTF8.GetChars(bytes, text);
        CryptographicOperations.ZeroMemory(bytes);
        return null;
    }

    /// <summary>Writes a key to a new file that only this user may access. Another process that writes the same file at
    /// the same time makes one of the two fail; a reader never sees half a key.</summary>
    /// <exception cref="IOException">The file exists or cannot be written.</exception>
    public static void Write(string path, ReadOnlySpan<byte> key)
    {
        if (!FileSizeLimit.Allows(2 * KeyText.KeyBytes, out string reason)) throw new IOException(reason);
        string draft = string.Create(
            CultureInfo.InvariantCulture, $"{path}.{Environment.ProcessId}.{RandomNumberGenerator.GetHexString(8)}");
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0 };
        if (!OperatingSystem.IsWindows()) options.UnixCreateMode = Owner;
        Span<byte> text = stackalloc byte[Base64.GetMaxEncodedToUtf8Length(KeyText.KeyBytes) + 1];
        _ = Base64.EncodeToUtf8(key, text, out _, out int length);
        text[length] = (byte)'\n';
        try
        {
            using (var file = new FileStream(draft, options))
            {
                file.Write(text[..(length + 1)]);
                file.Flush(flushToDisk: true);
            }
            Publish(draft, path);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(text);
            File.Delete(draft);
        }
    }

    /// <summary>Makes a new key and writes it: see <see cref="Write"/>.</summary>
    public static void WriteNew(string path)
    {
        Span<byte> key = stackalloc byte[KeyText.KeyBytes];
        RandomNumberGenerator.Fill(key);
        try
        {
            Write(path, key);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    private static string? TryReadBytes(string path, FileTrust trust, out byte[] bytes)
    {
        bytes = [];
        if (GuardedFile.TryOpen(path, trust, out SafeFileHandle? opened, out _) is { } fault) return fault;
        using SafeFileHandle file = opened!;
        try
        {
            long length = RandomAccess.GetLength(file);
            if (length > LongestFile) return $"'{path}' has {length} bytes, and one of keys has at most {LongestFile}";
            byte[] read = GC.AllocateArray<byte>((int)length, pinned: true);
            int count = 0;
            while (count < length && RandomAccess.Read(file, read.AsSpan(count), count) is > 0 and int more)
                count += more;
            bytes = read;
            return count == length ? null : $"'{path}' became shorter while it was read";
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return $"'{path}' cannot be read: {refusal.Message.TrimEnd('.')}";
        }
    }

    private static string? TryParse(string path, ReadOnlySpan<byte> rest, List<byte[]> found)
    {
        for (int number = 1; !rest.IsEmpty; number++)
        {
            int end = rest.IndexOfAny((byte)'\n', (byte)'\r');
            ReadOnlySpan<byte> line = end < 0 ? rest : rest[..end];
            bool isPair = end >= 0 && rest[end..].StartsWith("\r\n"u8);
            rest = end < 0 ? [] : rest[(end + (isPair ? 2 : 1))..];
            if (number == 1 && line.StartsWith(Encoding.UTF8.Preamble)) line = line[Encoding.UTF8.Preamble.Length..];
            line = line.Trim(" \t"u8);
            if (line.IsEmpty || line[0] == '#') continue;
            if (!KeyText.TryParse(line, out byte[] key, out string wrong)) return $"'{path}' line {number} {wrong}";
            found.Add(key);
        }
        return found.Count > 0 ? null : $"'{path}' has no key: write 32 random bytes (openssl rand -base64 32 > FILE)";
    }

    // Fails when the target exists. On Unix a move looks first and then replaces, so it would take a key from a process
    // that has just made and read it: only a link never replaces.
    private static void Publish(string draft, string path)
    {
        if (OperatingSystem.IsWindows())
        {
            File.Move(draft, path, overwrite: false);
            return;
        }
        if (Link(draft, path) == 0) return;
        int error = Marshal.GetLastPInvokeError();
        if (error == FileExists) throw new IOException($"'{path}' exists");
        // A file system without links.
        File.Move(draft, path, overwrite: false);
    }

    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Link(string existing, string path);
}
