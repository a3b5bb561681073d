using System.Diagnostics;
using System.Globalization;
using System.Text;

namespace QuickSilver.Bench.Chaos;

/// <summary>
/// What one process saw, a line each: a letter, the instant in Stopwatch ticks, and fields between blanks. Lines are
/// gathered and handed to the kernel every few milliseconds, whole; what the kernel has outlives a kill -9, so the file
/// is always a prefix of what happened. Any thread.
/// <code>
/// L origin id                      a life began: the node has been admitted
/// E id reason                      the life ended, as far as the node knows
/// J session id groups            a join of all groups has returned
/// B session                      an orderly leave of all groups began
/// Q session group reason         the reader of a group came to its end
/// V session group epoch number ids a view
/// M session group id number stamp origin a message
/// X session group id number reason a message that is not what was sent
/// O session group id first count reason a loss
/// C id group number stamp confirmed removed     a confirmed send has returned
/// F id group last                  the last number that this sender gave
/// N text                           anything else
/// </code>
/// </summary>
internal sealed class ChaosLog : IDisposable
{
    private static readonly TimeSpan Period = TimeSpan.FromMilliseconds(15);

    private readonly Lock _lock = new();
    private readonly FileStream _file;
    private readonly StringBuilder _lines = new();
    private readonly Timer _timer;

    /// <summary>Begins a file.</summary>
    public ChaosLog(string path)
    {
        _file = new FileStream(path, FileMode.CreateNew, FileAccess.Write, FileShare.Read, bufferSize: 0);
        _timer = new Timer(_ => Flush(), null, Period, Period);
    }

    /// <summary>Adds a line.</summary>
    public void Write(char kind, string fields)
    {
        lock (_lock) _lines.Append(
            CultureInfo.InvariantCulture, $"{kind} {Stopwatch.GetTimestamp()} {fields.ReplaceLineEndings(" / ")}\n");
    }

    /// <summary>Hands everything to the kernel.</summary>
    public void Flush()
    {
        lock (_lock)
        {
            if (_lines.Length == 0) return;
            byte[] bytes = Encoding.UTF8.GetBytes(_lines.ToString());
            _lines.Clear();
            _file.Write(bytes);
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _timer.Dispose();
        Flush();
        _file.Dispose();
    }
}
