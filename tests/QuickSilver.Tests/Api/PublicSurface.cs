using System.Reflection;
using System.Text;

namespace QuickSilver.Tests.Api;

/// <summary>Writes the public surface of an assembly as text, one member a line, in a stable order.</summary>
internal static class PublicSurface
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.DeclaredOnly;

    public static string Describe(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(static type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Kind(type)).Append(' ').Append(Name(type, full: true));
            string bases = string.Join(", ", Bases(type));
            if (bases.Length > 0) text.Append(" : ").Append(bases);
            text.Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
                text.Append("    ").Append(member).Append('\n');
        }
        return text.ToString();
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (typeof(Delegate).IsAssignableFrom(type))
        {
            yield return Method(type.GetMethod("Invoke")!);
            yield break;
        }
        foreach (ConstructorInfo constructor in type.GetConstructors(Declared).Where(static made => made.IsPublic))
            yield return $"new({Parameters(constructor)})";
        foreach (FieldInfo field in type.GetFields(Declared)
            .Where(static field => field.IsPublic && !field.IsSpecialName))
        {
            yield return type.IsEnum
                ? $"{field.Name} = {Convert.ToInt64(field.GetRawConstantValue(), null)}"
                : $"field {Name(field.FieldType)} {field.Name}";
        }
        foreach (PropertyInfo property in type.GetProperties(Declared)
            .Where(static property => property.GetMethod is { IsPublic: true }))
        {
            string accessors = property.SetMethod is { IsPublic: true } set
                ? IsInit(set) ? "get; init;" : "get; set;" : "get;";
            yield return $"{Static(property.GetMethod!)}{Name(property.PropertyType)} {property.Name} {{ {accessors} "
                + $"}}";
        }
        foreach (EventInfo happening in type.GetEvents(Declared)
            .Where(static happening => IsVisible(happening.AddMethod!)))
            yield return $"event {Name(happening.EventHandlerType!)} {happening.Name}";
        foreach (MethodInfo method in type.GetMethods(Declared)
            .Where(static method => IsVisible(method) && IsWritten(method))) yield return Method(
            method);
    }

    // What the compiler writes for records says nothing about the contract.
    private static bool IsWritten(MethodInfo method) =>
        (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal))
        && method.GetCustomAttribute<System.Runtime.CompilerServices.CompilerGeneratedAttribute>() is null;

    private static bool IsVisible(MethodBase method) => method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly;

    private static bool IsInit(MethodInfo set) =>
        set.ReturnParameter.GetRequiredCustomModifiers()
            .Contains(typeof(System.Runtime.CompilerServices.IsExternalInit));

    private static string Method(MethodInfo method)
    {
        string arguments = string.Join(", ", method.GetGenericArguments().Select(static type => type.Name));
        string generic = method.IsGenericMethodDefinition ? $"<{arguments}>" : "";
        bool isExtension = method.IsDefined(typeof(System.Runtime.CompilerServices.ExtensionAttribute));
        return $"{Static(method)}{Name(method.ReturnType)} "
            + $"{method.Name}{generic}({(isExtension ? "this " : "")}{Parameters(method)})";
    }

    private static string Parameters(MethodBase method) =>
        string.Join(", ", method.GetParameters().Select(static parameter =>
    {
        string by = parameter.IsOut ? "out " : parameter.ParameterType.IsByRef ? "in " : "";
        return $"{by}{Name(parameter.ParameterType)} "
            + $"{parameter.Name}{(parameter.HasDefaultValue ? " = " + Default(parameter) : "")}";
    }));

    private static string Default(ParameterInfo parameter) => parameter.DefaultValue switch
    {
        null => "default",
        Enum value => value.ToString(),
        { } value => Convert.ToString(value, System.Globalization.CultureInfo.InvariantCulture)!,
    };

    private static string Static(MethodInfo method) => method.IsStatic ? "static " : "";

    private static string Kind(Type type) =>
        type.IsEnum ? "enum"
        : type.IsInterface ? "interface"
        : typeof(Delegate).IsAssignableFrom(type) ? "delegate"
        : type.IsByRefLike ? "ref struct"
        : type.IsValueType ? "struct"
        : type is { IsAbstract: true, IsSealed: true } ? "static class"
        : type.IsAbstract ? "abstract class"
        : type.IsSealed ? "sealed class"
        : "class";

    private static IEnumerable<string> Bases(Type type)
    {
        if (type.IsEnum || typeof(Delegate).IsAssignableFrom(type)) yield break;
        if (type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
            yield return Name(parent);
        IEnumerable<Type> inherited = type.BaseType?.GetInterfaces() ?? [];
        foreach (Type contract in type.GetInterfaces().Except(inherited).Where(static contract => contract.IsVisible)
            .OrderBy(
            static contract => contract.Name, StringComparer.Ordinal))
            yield return Name(contract);
    }

    private static string Name(Type type, bool full = false)
    {
        if (type.IsByRef) return Name(type.GetElementType()!);
        if (type.IsArray) return Name(type.GetElementType()!) + "[]";
        if (Nullable.GetUnderlyingType(type) is { } inner) return Name(inner) + "?";
        string name = full ? type.FullName! : type.Name;
        if (!type.IsGenericType) return name;
        string arguments = string.Join(", ", type.GetGenericArguments().Select(static argument => Name(argument)));
        return $"{name[..name.IndexOf('`', StringComparison.Ordinal)]}<{arguments}>";
    }
}
