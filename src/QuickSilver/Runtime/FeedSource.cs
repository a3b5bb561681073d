using System.Buffers;
using System.Runtime.CompilerServices;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// Adapts an application's feed to the protocol: catches its exceptions, times its calls, and enforces the message
/// limit. Signals from any thread share one request until the core has seen it. A delayed signal is an alarm of the
/// core. Core thread only, unless a member says otherwise.
/// </summary>
internal sealed class FeedSource : IMessageSource, IRequestTarget, IBufferWriter<byte>
{
    private readonly GroupHandle _handle;
    private IMessageFeed? _feed;
    private readonly PayloadLimit _limit;
    private readonly MessageTraits _traits;
    private LocalGroup? _local;
    private Alarm? _alarm;
    private MessageWriter? _writer;
    private int _isSignalled;

    /// <summary>Wraps a feed of a handle. Any thread.</summary>
    public FeedSource(GroupHandle handle, IMessageFeed feed, PayloadLimit limit, MessageTraits traits = default)
    {
        _traits = traits;
        _handle = handle;
        _feed = feed;
        _limit = limit;
    }

    /// <summary>True once the feed is removed: it is never called again.</summary>
    public bool IsRemoved { get; private set; }

    /// <summary>Announces that the feed has messages. Any thread.</summary>
    public void Signal(RequestQueue requests)
    {
        if (Interlocked.Exchange(ref _isSignalled, 1) == 0) requests.Enqueue(this);
    }

    /// <summary>Announces that the feed will have messages later; replaces an earlier announcement. Any
    /// thread.</summary>
    /// <param name="services">The node's clock and requests.</param>
    /// <param name="delay">The time from now until the feed is asked.</param>
    public void SignalAfter(NodeServices services, TimeSpan delay)
    {
        Instant due = services.Clock.Now + delay;
        if (services.IsCoreThread && _alarm is not null) SetAlarm(due);
        else services.Requests.Enqueue(this, argument: due.Ticks);
    }

    /// <summary>Registers the feed for one session in the group.</summary>
    public void Add(LocalGroup local, AlarmQueue alarms)
    {
        _local = local;
        _alarm = new Alarm(alarms, now => _local?.Sender.Signal(this, now));
        local.AddSource(this);
    }

    /// <summary>Removes the feed, also when its session has ended: the protocol keeps sources for the node's
    /// lifetime.</summary>
    public void Remove()
    {
        if (IsRemoved) return;
        IsRemoved = true;
        _alarm?.Cancel();
        _local?.RemoveSource(this);
        _local = null;
        _handle.Forget(this);
        _feed = null;
    }

    /// <inheritdoc/>
    public void Run(object? payload, long argument, Instant now)
    {
        if (argument != 0)
        {
            SetAlarm(new Instant(argument));
            return;
        }
        // A full fence: reading the feed before the flag is cleared would lose a signal in between.
        Interlocked.Exchange(ref _isSignalled, 0);
        if (!IsRemoved) _local?.Sender.Signal(this, now);
    }

    /// <inheritdoc/>
    public bool Write(MessageWriter messages)
    {
        if (IsRemoved || _handle.HasEnded || _handle.Core is not { } core) return false;
        _writer = messages;
        int count = 0;
        long bytes = 0;
        core.EnterUserCode(LoopPhase.Feed);
        try
        {
            return Ask(messages, ref count, ref bytes);
        }
        catch (Exception fault)
        {
            core.OnUserFault(_handle, fault);
            return false;
        }
        finally
        {
            _writer = null;
            core.OnFed(count, bytes);
            core.LeaveUserCode(count);
        }
    }

    private void SetAlarm(Instant due)
    {
        if (!IsRemoved) _alarm?.Set(due);
    }

    // Asks for a batch if there is room for one, otherwise for single messages, as many as are timed together. Not
    // inlined: locals of a method that catches live in memory, not in registers.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Ask(MessageWriter messages, ref int count, ref long bytes)
    {
        if (AskForBatch(messages, ref count, ref bytes)) return true;
        int limit = count + CallbackWatchdog.MaxTimedCalls;
        do
        {
            if (!_feed!.TryWriteNext(this)) return false;
            count++;
            bytes += messages.Length;
            messages.Traits = _traits;
        }
        while (messages.EndMessage() && count < limit && !IsRemoved && !_handle.HasEnded);
        return true;
    }

    // Returns false when the packet has no room for a batch, or when the feed wrote none.
    private bool AskForBatch(MessageWriter messages, ref int count, ref long bytes)
    {
        if (!messages.TryGetBatchRoom(out Span<byte> room, out int length)) return false;
        int written = _feed!.WriteBatch(room, length);
        if (written == 0) return IsRemoved || _handle.HasEnded;
        if (written < 0 || (long)written * length > room.Length)
            throw new InvalidOperationException($"A feed wrote a batch of {written} messages.");
        messages.EndMessages(written);
        count += written;
        bytes += (long)written * length;
        return true;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        MessageWriter writer = Writer;
        if (count > _limit.Bytes - writer.Length) throw _limit.Exceeded(writer.Length + (long)count);
        writer.Advance(count);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0) => Writer.GetMemory(sizeHint);

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => Writer.GetSpan(sizeHint);

    private MessageWriter Writer =>
        _writer ?? throw new InvalidOperationException("A feed's writer is valid during the call only.");
}
