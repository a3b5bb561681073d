namespace QuickSilver.Protocol.Core;

/// <summary>
/// One timer of one protocol element: made once, set and cancelled any number of times. It is its own node in the
/// <see cref="AlarmQueue"/>'s tree, so setting it allocates nothing. Core thread only.
/// </summary>
internal sealed class Alarm
{
    internal readonly AlarmQueue Queue;
    internal readonly Action<Instant> Callback;
    internal Alarm? Left;
    internal Alarm? Right;
    internal Alarm? Parent;
    internal ulong Order;

    /// <summary>Makes an alarm that is not set.</summary>
    /// <param name="queue">The queue that will fire it.</param>
    /// <param name="callback">Called with the present instant when the alarm is due; the alarm is then no longer set,
    /// and may set itself again.</param>
    public Alarm(AlarmQueue queue, Action<Instant> callback)
    {
        Queue = queue;
        Callback = callback;
    }

    /// <summary>When the alarm is due; meaningless unless <see cref="IsSet"/>.</summary>
    public Instant Due { get; internal set; }

    /// <summary>True while the alarm is in the queue.</summary>
    public bool IsSet { get; internal set; }

    /// <summary>
    /// Sets the alarm, or moves it. Alarms due at one instant fire in the order in which they were set. Amortised O(log
    /// n).
    /// </summary>
    public void Set(Instant due) => Queue.Set(this, due);

    /// <summary>Sets the alarm unless it is set for an earlier instant already.</summary>
    public void SetIfEarlier(Instant due)
    {
        if (!IsSet || due < Due) Queue.Set(this, due);
    }

    /// <summary>Removes the alarm from the queue; does nothing when it is not set. Amortised O(log n).</summary>
    public void Cancel() => Queue.Cancel(this);
}
