using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace QuickSilver.Transport.Sharing;

/// <summary>
/// Reads from /proc whether a process of this machine lives. Numbers are reused, so the start time identifies the
/// process too. In doubt a process lives: a moment without free descriptors must not cost a reader its memory.
/// </summary>
internal static class ProcessLife
{
    // Indexes after the name, which may contain any text: the third field of all, the twentieth, the twenty-second.
    private const int StateField = 0;
    private const int ThreadsField = 17;
    private const int StartField = 19;
    private const int MaxBytes = 1024;

    /// <summary>Returns the start of a process, in ticks since boot; 0 if it is unknown.</summary>
    public static ulong StartOf(uint process) => TryRead(process, out ulong start) ? start : 0;

    /// <summary>False when the process has certainly ended.</summary>
    public static bool IsAlive(ProcessMark mark) =>
        TryRead(mark.Process, out ulong start) && (mark.Start == 0 || start == 0 || start == mark.Start);

    // False when the process certainly does not exist; the start is 0 when that is uncertain.
    private static bool TryRead(uint process, out ulong start)
    {
        start = 0;
        Span<byte> text = stackalloc byte[MaxBytes];
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
        // A zombie that its parent has not reaped; with more threads only its first thread has ended.
        bool hasEnded = FieldOf(fields, StateField) is [(byte)'Z' or (byte)'X', ..];
        if (hasEnded && Utf8Parser.TryParse(FieldOf(fields, ThreadsField), out int threads, out _) && threads <= 1)
            return false;
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
