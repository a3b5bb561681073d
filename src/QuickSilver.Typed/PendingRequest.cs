namespace QuickSilver.Typed;

/// <summary>A request that waits for answers. Any thread.</summary>
internal sealed class PendingRequest<TReply>
{
    private readonly Lock _lock = new();
    private readonly List<Reply<TReply>> _replies = [];
    private readonly Dictionary<MemberId, Member> _awaited;
    private readonly List<Member> _gone = [];
    private readonly TaskCompletionSource<ReplySet<TReply>> _done =
        new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly int _count;
    private int _values;

    /// <summary>Begins to wait.</summary>
    /// <param name="members">The members of the view.</param>
    /// <param name="count">Number of values that are enough; errors do not count.</param>
    public PendingRequest(IEnumerable<Member> members, int count)
    {
        _awaited = members.ToDictionary(static member => member.Id);
        _count = count;
    }

    /// <summary>Completes with the answers.</summary>
    public Task<ReplySet<TReply>> Task => _done.Task;

    /// <summary>Takes an answer. One of a member that is not awaited, or a second one, counts for nothing.</summary>
    public void OnReply(MemberId sender, Func<Member, Reply<TReply>> make)
    {
        lock (_lock)
        {
            if (_done.Task.IsCompleted || !_awaited.Remove(sender, out Member? member)) return;
            Reply<TReply> reply = make(member);
            _replies.Add(reply);
            if (!reply.IsError) _values++;
            EndIfEnough();
        }
    }

    /// <summary>Notes that a member has no responder.</summary>
    public void OnNoResponder(MemberId sender)
    {
        lock (_lock)
        {
            if (_awaited.Remove(sender)) EndIfEnough();
        }
    }

    /// <summary>Notes that a member has left the view: no answer of it comes any more.</summary>
    public void OnLeft(Member member)
    {
        lock (_lock)
        {
            if (!_awaited.Remove(member.Id)) return;
            _gone.Add(member);
            EndIfEnough();
        }
    }

    /// <summary>Ends the wait with what there is.</summary>
    public void End()
    {
        lock (_lock)
        {
            Complete(_values >= _count);
        }
    }

    /// <summary>Ends the wait with an exception.</summary>
    public void Fail(Exception reason)
    {
        _done.TrySetException(reason);
        _ = _done.Task.Exception;
    }

    private void EndIfEnough()
    {
        if (_values >= _count) Complete(isComplete: true);
        // "All" means all that can answer, and none of them has gone without.
        else if (_awaited.Count == 0) Complete(_count == int.MaxValue && _gone.Count == 0);
    }

    private void Complete(bool isComplete) =>
        _done.TrySetResult(new ReplySet<TReply>([.. _replies], [.. _gone, .. _awaited.Values], isComplete));
}
