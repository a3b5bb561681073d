using System.Text.Json.Serialization.Metadata;

#pragma warning disable RS0026 // The overloads were there, in three classes.

namespace QuickSilver.Typed;

/// <summary>Publishers of values.</summary>
public static partial class TypedExtensions
{
    /// <summary>Opens a publisher of values, as <see cref="QuickSilverNode.OpenPublisherAsync"/>, with its exceptions.
    /// An option that is invalid is found before the opening.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="options">Settings of the handle.</param>
    /// <param name="typed">Settings of the values.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public static Task<Publisher<T>> OpenPublisherAsync<T>(
        this QuickSilverNode node,
        string name,
        JsonTypeInfo<T> json,
        PublisherOptions? options = null,
        TypedGroupOptions? typed = null,
        CancellationToken cancellationToken = default) =>
        OpenPublisherAsync(node, name, new JsonPayloadSerializer<T>(json), options, typed, cancellationToken);

    /// <summary>Opens a publisher of values with a serializer of one's own. Otherwise as the overload above.</summary>
    /// <inheritdoc cref="OpenPublisherAsync{T}(QuickSilverNode, string, JsonTypeInfo{T}, PublisherOptions?,
    /// TypedGroupOptions?, CancellationToken)"/>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes.</param>
    /// <param name="options">Settings of the handle.</param>
    /// <param name="typed">Settings of the values.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public static async Task<Publisher<T>> OpenPublisherAsync<T>(
        this QuickSilverNode node,
        string name,
        IPayloadSerializer<T> serializer,
        PublisherOptions? options = null,
        TypedGroupOptions? typed = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(serializer);
        typed?.Validate(nameof(typed));
        GroupPublisher raw = await node.OpenPublisherAsync(name, options, cancellationToken).ConfigureAwait(false);
        return raw.As(serializer, typed);
    }

    /// <summary>Sends values through a publisher that is open already. The handle still belongs to the
    /// caller.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="publisher">The handle.</param>
    /// <param name="serializer">Turns values into bytes.</param>
    /// <param name="typed">Settings of the values.</param>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public static Publisher<T> As<T>(
        this GroupPublisher publisher, IPayloadSerializer<T> serializer, TypedGroupOptions? typed = null)
    {
        ArgumentNullException.ThrowIfNull(publisher);
        ArgumentNullException.ThrowIfNull(serializer);
        typed?.Validate(nameof(typed));
        return new Publisher<T>(publisher, serializer, typed);
    }
}
