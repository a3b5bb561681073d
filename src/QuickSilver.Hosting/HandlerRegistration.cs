using Microsoft.Extensions.DependencyInjection;

namespace QuickSilver.Hosting;

/// <summary>A handler that the application has registered for a group.</summary>
/// <param name="Group">Name of the group.</param>
/// <param name="Type">The handler's type.</param>
/// <param name="ScopePerMessage">Whether each message gets a service scope.</param>
internal sealed record HandlerRegistration(string Group, Type Type, bool ScopePerMessage)
{
    /// <summary>Whether the handler is called on the core thread.</summary>
    public bool IsInline => typeof(IInlineMessageHandler).IsAssignableFrom(Type);

    /// <summary>Returns the mistakes in the registration.</summary>
    /// <param name="group">The group; null if it is not registered.</param>
    /// <param name="container">Answers what is registered; null: that is not checked.</param>
    public IEnumerable<string> Findings(GroupRegistration? group, IServiceProviderIsService? container)
    {
        if (group is null)
            yield return $"the group is not registered at this node: call AddGroup(\"{Group}\")";
        else if (!IsInline && !group.Fits(Type))
            yield return $"implements neither {group.HandlerNames}";
        if (!IsInline && group?.Options.Inbox is { } inbox)
            yield return $"cannot read the group: its messages go to the inbox '{inbox}'";
        if (IsInline && ScopePerMessage) yield return "is inline, and such a handler has no scope for each message";
        if (container?.IsService(Type) == false)
            yield return $"is not registered: call services.Add{(ScopePerMessage ? "Scoped" : "Singleton")} for it";
    }
}
