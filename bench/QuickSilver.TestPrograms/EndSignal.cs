namespace QuickSilver.TestPrograms;

/// <summary>
/// When a program has to end: Ctrl-C or a termination signal, the time-out, or, for a program tied to the one that
/// started it, the end of standard input: it comes even when that program was killed.
/// </summary>
internal sealed class EndSignal : IDisposable
{
    private readonly CancellationTokenSource _source;
    private readonly CancellationToken _user;

    public EndSignal(CancellationToken user, TimeSpan timeout, bool isTied)
    {
        _user = user;
        _source = CancellationTokenSource.CreateLinkedTokenSource(user);
        if (timeout != Timeout.InfiniteTimeSpan) _source.CancelAfter(timeout);
        if (isTied) new Thread(EndWithInput) { IsBackground = true, Name = "standard input" }.Start();
    }

    /// <summary>Cancelled when the program has to end.</summary>
    public CancellationToken Token => _source.Token;

    /// <summary>The user ended it, or the program that started this one.</summary>
    public bool IsByUser => _user.IsCancellationRequested || InputEnded;

    private bool InputEnded { get; set; }

    public void Dispose() => _source.Dispose();

    private void EndWithInput()
    {
        while (Console.In.ReadLine() is not null)
        {
        }
        InputEnded = true;
        try
        {
            _source.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // The program has ended by itself.
        }
    }
}
