using System.Buffers;
using System.Runtime.CompilerServices;
using QuickSilver.Diagnostics;
using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Stack;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// A feed as the protocol sees it: fenced, timed, and held to the longest message. Signals from any thread become one request until the core has seen
/// it; one for later is an alarm of the core's. Members are for the core thread unless they say otherwise.
/// </summary>
internal sealed class FeedSource : IMessageSource, IRequestTarget, IBufferWriter<byte>
{
    private readonly GroupHandle _handle;
    private IMessageFeed? _feed;
    private readonly int _longest;
    private LocalGroup? _local;
    private Alarm? _alarm;
    private MessageWriter? _writer;
    private int _isSignalled;

    /// <summary>Wraps a feed. Any thread.</summary>
    public FeedSource(GroupHandle handle, IMessageFeed feed, int longest)
    {
        _handle = handle;
        _feed = feed;
        _longest = longest;
    }

    /// <summary>True once the feed has been taken out.</summary>
    public bool IsRemoved { get; private set; }

    /// <summary>Says that the feed has something. Any thread.</summary>
    public void Signal(RequestQueue requests)
    {
        if (Interlocked.Exchange(ref _isSignalled, 1) == 0) requests.Enqueue(this);
    }

    /// <summary>Says that the feed will have something, in place of the last time that this was said. Any thread.</summary>
    /// <param name="services">The node's.</param>
    /// <param name="delay">How long from now.</param>
    public void SignalAfter(NodeServices services, TimeSpan delay)
    {
        Instant due = services.Clock.Now + delay;
        if (services.IsCoreThread && _alarm is not null) SetAlarm(due);
        else services.Requests.Enqueue(this, argument: due.Ticks);
    }

    /// <summary>Registers the feed for one stay in the group.</summary>
    public void Add(LocalGroup local, AlarmQueue alarms)
    {
        _local = local;
        _alarm = new Alarm(alarms, now => _local?.Sender.Signal(this, now));
        local.Sender.AddSource(this);
    }

    /// <summary>Takes the feed out, of a stay that has ended too: the protocol keeps sources for the life of the node.</summary>
    public void Remove()
    {
        if (IsRemoved) return;
        IsRemoved = true;
        _alarm?.Cancel();
        _local?.Sender.RemoveSource(this);
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
        // A full fence: the look at what the feed has must not pass it, or a signal between the two would be lost.
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

    // Asks for as many messages one by one as are timed together, or for as many in a run as there is room for. Not inlined: what lives in a method
    // that catches lives in memory.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool Ask(MessageWriter messages, ref int count, ref long bytes)
    {
        if (AskForRun(messages, ref count, ref bytes)) return true;
        int most = count + CallbackWatchdog.LongestRun;
        do
        {
            if (!_feed!.TryWriteNext(this)) return false;
            count++;
            bytes += messages.Length;
        }
        while (messages.EndMessage() && count < most && !IsRemoved && !_handle.HasEnded);
        return true;
    }

    // Returns false when there is no run, or nothing to go on with it.
    private bool AskForRun(MessageWriter messages, ref int count, ref long bytes)
    {
        if (!messages.TryGetRunRoom(out Span<byte> room, out int length)) return false;
        int written = _feed!.WriteRun(room, length);
        if (written == 0) return IsRemoved || _handle.HasEnded;
        if (written < 0 || (long)written * length > room.Length) throw new InvalidOperationException($"A feed wrote a run of {written} messages.");
        messages.EndMessages(written);
        count += written;
        bytes += (long)written * length;
        return true;
    }

    /// <inheritdoc/>
    public void Advance(int count)
    {
        MessageWriter writer = Writer;
        if (count > _longest - writer.Length) throw PayloadLimit.Exceeded(writer.Length + (long)count, _longest);
        writer.Advance(count);
    }

    /// <inheritdoc/>
    public Memory<byte> GetMemory(int sizeHint = 0) => Writer.GetMemory(sizeHint);

    /// <inheritdoc/>
    public Span<byte> GetSpan(int sizeHint = 0) => Writer.GetSpan(sizeHint);

    private MessageWriter Writer => _writer ?? throw new InvalidOperationException("A feed's writer is valid during the call only.");
}
