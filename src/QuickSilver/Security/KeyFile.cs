using System.Globalization;
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Security;

/// <summary>Reads and writes files with secrets. A file that users other than its owner and group may read or write is
/// refused, as is one that its group may write: to read it is to have the key.</summary>
internal static partial class KeyFile
{
    private const int LongestFile = 1 << 16;
    private const int FileExists = 17;
    private const UnixFileMode Owner = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode Others =
        UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute | UnixFileMode.GroupWrite;

    /// <summary>Reads the keys of a file, one a line.</summary>
    /// <param name="path">The path.</param>
    /// <param name="keys">The keys; empty after a failure.</param>
    /// <returns>The fault, as a clause that names the path; null for none.</returns>
    public static string? TryRead(string path, out IReadOnlyList<byte[]> keys)
    {
        var found = new List<byte[]>();
        keys = found;
        if (TryReadText(path, isSecret: true, out string text) is { } fault) return fault;
        int number = 0;
        foreach (ReadOnlySpan<char> line in text.AsSpan().EnumerateLines())
        {
            number++;
            if (line.IsWhiteSpace() || line.TrimStart().StartsWith('#')) continue;
            if (!KeyText.TryParse(line, out byte[] key, out string wrong)) return $"'{path}' line {number} {wrong}";
            found.Add(key);
        }
        return found.Count > 0 ? null : $"'{path}' has no key: write 32 random bytes (openssl rand -base64 32 > FILE)";
    }

    /// <summary>Reads a text file.</summary>
    /// <param name="path">The path.</param>
    /// <param name="isSecret">True when others must not have access to it.</param>
    /// <param name="text">The text; empty after a failure.</param>
    /// <returns>The fault, as a clause that names the path; null for none.</returns>
    public static string? TryReadText(string path, bool isSecret, out string text)
    {
        text = "";
        try
        {
            using SafeFileHandle file = File.OpenHandle(path);
            if (isSecret && !OperatingSystem.IsWindows() && JudgeAccess(path, FileStatus.Of(file)) is { } fault)
                return fault;
            long length = RandomAccess.GetLength(file);
            if (length > LongestFile) return $"'{path}' has {length} bytes, and one of keys has at most {LongestFile}";
            byte[] bytes = new byte[length];
            int read = 0;
            while (read < length && RandomAccess.Read(file, bytes.AsSpan(read), read) is > 0 and int more) read += more;
            text = Encoding.UTF8.GetString(bytes, 0, read);
            CryptographicOperations.ZeroMemory(bytes);
            return null;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return $"'{path}' cannot be read: {refusal.Message.TrimEnd('.')}";
        }
    }

    /// <summary>Writes a key to a new file that only this user may access. Another process that writes the same file at
    /// the same time makes one of the two fail; a reader never sees half a key.</summary>
    /// <exception cref="IOException">The file exists or cannot be written.</exception>
    public static void Write(string path, byte[] key)
    {
        string draft = string.Create(
            CultureInfo.InvariantCulture, $"{path}.{Environment.ProcessId}.{RandomNumberGenerator.GetHexString(8)}");
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows()) options.UnixCreateMode = Owner;
        try
        {
            using (var file = new FileStream(draft, options))
            {
                file.Write(Encoding.ASCII.GetBytes(Convert.ToBase64String(key) + "\n"));
                file.Flush(flushToDisk: true);
            }
            Publish(draft, path);
        }
        finally
        {
            File.Delete(draft);
        }
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

    private static string? JudgeAccess(string path, FileStatus status)
    {
        if (!status.IsRegular) return $"'{path}' is not a file";
        if ((status.Mode & Others) == 0) return null;
        string mode = Convert.ToString((int)status.Mode, 8);
        return $"'{path}' is open to other users of this machine (mode {mode}): run chmod 600 on it";
    }
}
