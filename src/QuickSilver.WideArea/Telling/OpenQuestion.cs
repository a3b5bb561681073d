namespace QuickSilver.WideArea.Telling;

/// <summary>One question of a node who holds a message. What a site was said to hold it holds, whatever a gateway that
/// took over knows. Any thread; one asks.</summary>
/// <param name="ask">What is asked.</param>
/// <param name="patience">How long no gateway may be heard.</param>
internal sealed class OpenQuestion(AskBody ask, TimeSpan patience)
{
    private static readonly TimeSpan AskPause = TimeSpan.FromMilliseconds(500);

    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, SiteReceiptState> _states = new(StringComparer.Ordinal);
    private readonly TaskCompletionSource<SiteConfirmationResult> _answered =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _answeredAt = Environment.TickCount64;

    /// <summary>Its number.</summary>
    public ulong Number => ask.Number;

    /// <summary>What is known of sites.</summary>
    public IReadOnlyList<SiteReceipt> Sites
    {
        get
        {
            lock (_lock) return [.. _states.Select(static one => new SiteReceipt(one.Key, one.Value))];
        }
    }

    /// <summary>A gateway answers.</summary>
    public void OnAnswer(in AnswerBody answer)
    {
        lock (_lock)
        {
            _answeredAt = Environment.TickCount64;
            foreach (SiteReceipt receipt in answer.Sites)
            {
                if (_states.GetValueOrDefault(receipt.Site) != SiteReceiptState.Held)
                    _states[receipt.Site] = receipt.State;
            }
            if (answer.Result is not { } result) return;
            // Sites whose last members have left meanwhile are named no more.
            foreach (string site in _states.Where(static one => one.Value == SiteReceiptState.Waiting)
                .Select(static one => one.Key).ToArray())
            {
                _states.Remove(site);
            }
            _answered.TrySetResult(result);
        }
    }

    /// <summary>Asks until the answer is final.</summary>
    /// <param name="group">The group in which gateways answer.</param>
    /// <param name="silentSince">When a gateway was heard last.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<SiteConfirmationResult> AskAsync(
        Group group, Func<long> silentSince, CancellationToken cancellationToken)
    {
        byte[] body = ask.Write();
        while (true)
        {
            await group.SendAsync(body.AsMemory(), cancellationToken).ConfigureAwait(false);
            await Task.WhenAny(_answered.Task, Task.Delay(AskPause, cancellationToken)).ConfigureAwait(false);
            if (_answered.Task.IsCompleted) return await _answered.Task.ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
            long heardAt = Math.Max(silentSince(), Volatile.Read(ref _answeredAt));
            if (Environment.TickCount64 - heardAt >= patience.TotalMilliseconds)
                return SiteConfirmationResult.NoGateway;
        }
    }
}
