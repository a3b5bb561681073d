using System.Diagnostics;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>What applications see of a group of values of a hosted node.</summary>
/// <param name="registration">What the application has registered.</param>
internal class HostedGroup<T>(TypedGroupRegistration<T> registration)
    : HostedGroup(registration), IQuickSilverGroup<T>
{
    private static readonly TimeSpan LogPause = TimeSpan.FromSeconds(1);

    private Group<T>? _typed;
    private long _undeserialized;
    private long _lastLogged;

    /// <inheritdoc/>
    public event EventHandler<UndeserializedMessage>? Undeserialized;

    /// <inheritdoc/>
    public IQuickSilverGroup Raw => this;

    /// <inheritdoc/>
    public ValueTask SendAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default) =>
        SendAsync(
            (Group: this, Value: value, Headers: headers ?? MessageHeaders.None),
            static (handle, message, stop) =>
                message.Group.TypedOf(handle).SendAsync(message.Value, message.Headers, stop),
            cancellationToken);

    /// <inheritdoc/>
    public async Task<DeliveryReport> SendConfirmedAsync(
        T value, MessageHeaders? headers = null, CancellationToken cancellationToken = default)
    {
        Group handle = await GetHandleAsync(cancellationToken).ConfigureAwait(false);
        return await TypedOf(handle).SendConfirmedAsync(value, headers, cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public new IAsyncEnumerable<TypedMessage<T>> ReadAllAsync(CancellationToken cancellationToken = default) =>
        Turns.ReadAllAsync((handle, stop) => TypedOf(handle).ReadAllAsync(stop), cancellationToken);

    /// <inheritdoc/>
    public override HandleReading Read(Group handle, CancellationToken stop) => new HandleReading<TypedMessage<T>>(
        TypedOf(handle).ReadAllAsync(stop),
        registration.Options.Typed.Tracing
            ? TracedAsync
            : static (message, calls, stop) => CallAsync(message, calls, stop),
        stop);

    private static ValueTask CallAsync(
        TypedMessage<T> message, HandlerCalls calls, CancellationToken stop, Activity? activity = null) =>
        calls.CallAsync(
            message,
            static (handler, message, stop) => ((IMessageHandler<T>)handler).HandleAsync(message, stop),
            stop,
            activity);

    private async ValueTask TracedAsync(TypedMessage<T> message, HandlerCalls calls, CancellationToken stop)
    {
        using Activity? activity = Tracing.StartProcess(Name, message.TraceContext);
        await CallAsync(message, calls, stop, activity).ConfigureAwait(false);
    }

    private Group<T> TypedOf(Group handle)
    {
        if (Volatile.Read(ref _typed) is { } typed && ReferenceEquals(typed.Raw, handle)) return typed;
        Group<T> made = handle.As(registration.Serializer, registration.Options.Typed);
        made.Undeserialized += (_, happened) => OnUndeserialized(happened);
        Volatile.Write(ref _typed, made);
        return made;
    }

    private void OnUndeserialized(UndeserializedMessage happened)
    {
        long count = Interlocked.Increment(ref _undeserialized);
        Meter?.OnUndeserialized();
        long last = Volatile.Read(ref _lastLogged);
        if (count == 1 || Stopwatch.GetElapsedTime(last) > LogPause)
        {
            Volatile.Write(ref _lastLogged, Stopwatch.GetTimestamp());
            Log.Undeserialized(Logger, Name, count, happened.Message.ToString(), happened.Fault.Message);
        }
        Guard(() => Undeserialized?.Invoke(this, happened));
    }
}
