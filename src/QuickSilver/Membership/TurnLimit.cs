using System.Diagnostics;

namespace QuickSilver.Membership;

/// <summary>
/// A time limit that counts the turns of this process, and not the time in which it got no processor. The other side
/// may have answered long ago, and this side not have read it yet. One that is silent is thus told from a machine that
/// is overloaded. Any thread.
/// </summary>
internal sealed class TurnLimit : IDisposable
{
    private const int MostLateness = 10;
    private static readonly TimeSpan Turn = TimeSpan.FromMilliseconds(100);

    private readonly long _start = Stopwatch.GetTimestamp();
    private readonly CancellationTokenSource _end;
    private readonly TimeSpan _limit;
    private readonly Func<TimeSpan, CancellationToken, Task> _delay;

    /// <summary>Starts a limit.</summary>
    /// <param name="limit">The time that this process may spend while it gets its turns; at most ten times as long in
    /// all.</param>
    /// <param name="stop">Ends the limit before.</param>
    /// <param name="delay">Waits for a time; null for the machine's clock.</param>
    public TurnLimit(
        TimeSpan limit, CancellationToken stop, Func<TimeSpan, CancellationToken, Task>? delay = null)
    {
        _limit = limit;
        _delay = delay ?? Task.Delay;
        _end = CancellationTokenSource.CreateLinkedTokenSource(stop);
        Token = _end.Token;
        _ = CountAsync();
    }

    /// <summary>Cancelled when the limit is over, or stopped.</summary>
    public CancellationToken Token { get; }

    /// <summary>Describes the time that has passed, and how much of it this process was held up.</summary>
    public string Describe()
    {
        TimeSpan elapsed = Stopwatch.GetElapsedTime(_start);
        return elapsed > _limit * 1.5
            ? $"within {elapsed.TotalSeconds:0} s, in which this process was held up: the machine is overloaded"
            : $"within {_limit.TotalSeconds:0} s";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _end.Cancel();
        _end.Dispose();
    }

    private async Task CountAsync()
    {
        for (TimeSpan spent = TimeSpan.Zero; spent < _limit; spent += Turn)
        {
            if (Stopwatch.GetElapsedTime(_start) > _limit * MostLateness) break;
            await _delay(Turn, Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (Token.IsCancellationRequested) return;
        }
        try
        {
            await _end.CancelAsync().ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // What it limits has ended in this moment.
        }
    }
}
