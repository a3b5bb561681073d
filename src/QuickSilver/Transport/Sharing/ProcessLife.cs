using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Whether a process of this machine lives, from /proc. A number is given again, so who is meant is told by when it started too. In doubt a process
/// lives: memory must not be taken from a reader because the system was out of descriptors for a moment.
/// </summary>
internal static class ProcessLife
{
    // Of the fields after the name, which may itself contain anything: the third of all, the twentieth, the twenty-second.
    private const int StateField = 0;
    private const int ThreadsField = 17;
    private const int StartField = 19;
    private const int MostBytes = 1024;

    /// <summary>When a process started, in ticks since boot; 0 when that cannot be told.</summary>
    public static ulong StartOf(uint process) => Look(process, out ulong start) ? start : 0;

    /// <summary>False when the process has certainly ended.</summary>
    public static bool IsAlive(ProcessMark mark) =>
        Look(mark.Process, out ulong start) && (mark.Start == 0 || start == 0 || start == mark.Start);

    // False when there is no such process; a start of 0 when there may be.
    private static bool Look(uint process, out ulong start)
    {
        start = 0;
        Span<byte> text = stackalloc byte[MostBytes];
        try
        {
            using SafeFileHandle file = File.OpenHandle($"/proc/{process}/stat");
            text = text[..RandomAccess.Read(file, text, 0)];
        }
        catch (Exception absence) when (absence is FileNotFoundException or DirectoryNotFoundException)
        {
            return false;
        }
        catch (Exception refusal) when (refusal is IOException or UnauthorizedAccessException)
        {
            return true;
        }

        int end = text.LastIndexOf((byte)')');
        if (end < 0 || end + 2 > text.Length) return true;
        ReadOnlySpan<byte> fields = text[(end + 2)..];
        // Killed, and not yet taken note of by its parent; or only its first thread has ended.
        bool hasEnded = FieldOf(fields, StateField) is [(byte)'Z' or (byte)'X', ..];
        if (hasEnded && Utf8Parser.TryParse(FieldOf(fields, ThreadsField), out int threads, out _) && threads <= 1) return false;
        if (!Utf8Parser.TryParse(FieldOf(fields, StartField), out start, out _)) start = 0;
        return true;
    }

    private static ReadOnlySpan<byte> FieldOf(ReadOnlySpan<byte> fields, int index)
    {
        foreach (Range range in fields.Split((byte)' '))
        {
            if (index-- == 0) return fields[range];
        }
        return default;
    }
}
