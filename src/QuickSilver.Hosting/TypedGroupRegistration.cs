using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>A group of values that the application has registered.</summary>
internal sealed class TypedGroupRegistration<T>(
    string name, Action<HostedGroupOptions>? configure, IPayloadSerializer<T> serializer)
    : GroupRegistration(name, configure)
{
    /// <summary>Turns values into bytes and back.</summary>
    public IPayloadSerializer<T> Serializer { get; } = serializer;

    /// <inheritdoc/>
    public override string HandlerNames =>
        $"{nameof(IMessageHandler)}<{typeof(T).Name}> nor {nameof(IInlineMessageHandler)}";

    /// <inheritdoc/>
    public override bool Fits(Type handler) => typeof(IMessageHandler<T>).IsAssignableFrom(handler);

    /// <inheritdoc/>
    public override HostedGroup Create() => new HostedGroup<T>(this);

    /// <inheritdoc/>
    protected override string Kind => $"{typeof(T)} by {Serializer.GetType()}";
}
