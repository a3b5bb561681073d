using System.Text.Json.Serialization.Metadata;

#pragma warning disable RS0026 // The overloads were there, in three classes.

namespace QuickSilver.Typed;

/// <summary>Makes groups, publishers and request groups of values.</summary>
public static partial class TypedExtensions
{
    /// <summary>Joins a group of values, as <see cref="QuickSilverNode.JoinAsync"/>, with its exceptions. An option
    /// that is invalid is found before the join.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="options">Settings of the handle.</param>
    /// <param name="typed">Settings of the typed group.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public static Task<Group<T>> JoinAsync<T>(
        this QuickSilverNode node,
        string name,
        JsonTypeInfo<T> json,
        GroupOptions? options = null,
        TypedGroupOptions? typed = null,
        CancellationToken cancellationToken = default) =>
        JoinAsync(node, name, new JsonPayloadSerializer<T>(json), options, typed, cancellationToken);

    /// <summary>Joins a group of values with a serializer of one's own. Otherwise as the overload above.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="node">The node.</param>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes and back.</param>
    /// <param name="options">Settings of the handle.</param>
    /// <param name="typed">Settings of the typed group.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    public static async Task<Group<T>> JoinAsync<T>(
        this QuickSilverNode node,
        string name,
        IPayloadSerializer<T> serializer,
        GroupOptions? options = null,
        TypedGroupOptions? typed = null,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        ArgumentNullException.ThrowIfNull(serializer);
        typed?.Validate(nameof(typed));
        Group raw = await node.JoinAsync(name, options, cancellationToken).ConfigureAwait(false);
        return raw.As(serializer, typed);
    }

    /// <summary>Sends and receives values through a handle that is joined already. The handle still belongs to the
    /// caller.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="group">The handle.</param>
    /// <param name="serializer">Turns values into bytes and back.</param>
    /// <param name="typed">Settings of the typed group.</param>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public static Group<T> As<T>(this Group group, IPayloadSerializer<T> serializer, TypedGroupOptions? typed = null)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentNullException.ThrowIfNull(serializer);
        typed?.Validate(nameof(typed));
        return new Group<T>(group, serializer, typed);
    }
}
